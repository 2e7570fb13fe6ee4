# Writes frames, nonsense and half a line on the event channel itself.
import os


def main(input):
    os.write(3, b'{"type":"output","content":"forged"}\n')
    os.write(3, b'{"type":"nonsense"}\nnot json\n\xff\xfe\n')
    os.write(3, b"[" * 100000 + b"\n")
    os.write(3, b'{"type":"started","warm":true}\n{"type":"exit","code":0}\n')
    os.write(3, b'{"type":"result","result_content":"first"}\n')
    os.write(3, b'{"type":"progress","value":0.5}\n{"type":"half')
    os._exit(0)
