! Fortran interface of roofline/region.h: compile this file with your program and link with -lroofline.
module roofline_region
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_ptr
  implicit none
  private
  public :: region_get, region_begin, region_end, roof_fp64, roof_fp32, roof_tf32, roof_fp16, roof_bf16

  enum, bind(c) ! the order of roofline/dtype.h
    enumerator :: roof_fp64, roof_fp32, roof_tf32, roof_fp16, roof_bf16
  end enum

  interface
    function roof_region_get(name) bind(c) result(region)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: region
    end function

    ! Begins a call of the region.
    subroutine region_begin(region) bind(c, name="roof_region_begin")
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine

    ! Ends it: FLOPs in `dtype`, bytes from and to memory; NaN for what is not known.
    subroutine region_end(region, dtype, flops, bytes) bind(c, name="roof_region_end")
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: region
      integer(c_int), value :: dtype
      real(c_double), value :: flops, bytes
    end subroutine
  end interface

contains

  ! The region of that name; get it once, outside the loop.
  function region_get(name) result(region)
    character(*), intent(in) :: name
    type(c_ptr) :: region
    region = roof_region_get(trim(name)//c_null_char)
  end function
end module
