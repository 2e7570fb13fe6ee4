# Prints without end.
def main(input):
    while True:
        print("x" * 1000)
