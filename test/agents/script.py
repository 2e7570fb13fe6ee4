# No function at all: a script whose output is what it prints.
import sys

print("argv", sys.argv)
if __name__ == "__main__":
    print("as main")
