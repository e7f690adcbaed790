"""`python -m flowdouble` is the command `flowdouble`."""

from flowdouble._command import main

main()
