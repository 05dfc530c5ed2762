"""Runs a program in a terminal, closes the terminal once the program says that it is ready, and prints its status."""
import os
import pty
import sys

process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b'"ready"' not in said:
    said += os.read(terminal, 65536)
os.close(terminal)
_, status = os.waitpid(process, 0)
print("status", os.waitstatus_to_exitcode(status))
