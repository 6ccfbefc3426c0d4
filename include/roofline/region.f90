! Fortran interface of roofline/region.h: compile this file with your program and link with -lroofline.
module roofline_region
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_null_ptr, c_ptr
  implicit none
  private
  public :: region_get, region_begin, region_end, region_write
  public :: roof_fp64, roof_fp32, roof_tf32, roof_fp16, roof_bf16, roof_fp8, roof_fp6, roof_fp4, roof_fp3, roof_int8, roof_int4

  enum, bind(c) ! the order of roofline/dtype.h
    enumerator :: roof_fp64, roof_fp32, roof_tf32, roof_fp16, roof_bf16
    enumerator :: roof_fp8, roof_fp6, roof_fp4, roof_fp3, roof_int8, roof_int4
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

    function roof_region_write(error) bind(c) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: error
      integer(c_int) :: status
    end function
  end interface

contains

  ! The region of that name; get it once, outside the loop.
  function region_get(name) result(region)
    character(*), intent(in) :: name
    type(c_ptr) :: region
    region = roof_region_get(trim(name)//c_null_char)
  end function

  ! Writes the document so far, as the end of the program does; false when nothing is recorded or it cannot be written.
  function region_write() result(written)
    logical :: written
    written = roof_region_write(c_null_ptr) == 0
  end function
end module
