! Regions in Fortran: ROOFLINE_REGIONS=regions.json ./region
program region
  use, intrinsic :: iso_c_binding, only: c_ptr
  use roofline_region
  implicit none
  integer, parameter :: n = 100000, single = kind(1.0), double = kind(1.0d0)
  real(single), allocatable :: x(:), y(:)
  type(c_ptr) :: axpy
  integer :: repeat

  allocate (x(n), y(n))
  x = 1.5
  y = 2
  axpy = region_get("axpy")
  do repeat = 1, 10
    call region_begin(axpy)
    y = y + 0.5*x
    call region_end(axpy, roof_fp32, 2.0_double*n, 12.0_double*n)
  end do
  print *, y(n)
  if (.not. region_write()) print *, 'nothing is recorded: set ROOFLINE_REGIONS'
end program
