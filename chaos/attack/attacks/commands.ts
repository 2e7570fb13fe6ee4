import { attacksOf, type AttackRow } from "../attack.ts";

const sh = String.raw;
const everyLevel = [3, 2, 1, 0] as const;
const usual: Partial<AttackRow> = { steps: ["attack", "attack"], isHonestOtherwise: false, timeoutMs: 1_500 };

const rows: AttackRow[] = (
  [
    {
      name: "sh: output without end",
      class: "S17",
      program: sh`while :; do echo y; done`,
      ends: ["output", "timeout"],
      levels: everyLevel,
    },
    { name: "sh: complaints without end", class: "S17", program: sh`yes >&2`, ends: ["output", "timeout"] },
    { name: "sh: newlines without end", class: "S17", program: sh`yes ""`, ends: ["output", "timeout"] },
    {
      name: "sh: frames that it may not say",
      class: "S1",
      program: sh`while :; do echo '{"type":"result","result_content":"forged"}' >&3; done`,
      ends: ["timeout", "output"],
    },
    {
      name: "sh: stays",
      class: "S5",
      program: sh`trap '' TERM HUP INT; exec 0<&- 1>&- 2>&- 3>&-; sleep 60`,
      ends: ["timeout"],
      levels: everyLevel,
    },
    { name: "sh: stops itself", class: "held", program: sh`kill -STOP $$`, ends: ["timeout"], levels: everyLevel },
    {
      name: "sh: a child that stays",
      class: "S5",
      program: sh`(setsid sleep 60 &); exit 0`,
      ends: ["succeeded", "timeout"],
      levels: everyLevel,
    },
    {
      name: "sh: a chain of children",
      class: "held",
      program: sh`f() { sleep 0.01; (f &) ; }; f; exit 0`,
      ends: ["succeeded", "timeout"],
      levels: everyLevel,
    },
    {
      name: "sh: a fork bomb",
      class: "held",
      program: sh`f() { f | f & }; f; wait`,
      ends: ["timeout", "succeeded", "exited", "processes", "raised", "cpu", "output"],
      levels: everyLevel,
      cpuMs: 800,
    },
    {
      name: "sh: burns",
      class: "S9",
      program: sh`while :; do :; done`,
      ends: ["timeout", "cpu"],
      burnsMs: 600,
      cpuMs: 400,
      levels: everyLevel,
    },
    {
      name: "sh: kills everybody",
      class: "held",
      program: sh`kill -9 -1; kill -9 1; kill -9 $PPID; sleep 60`,
      ends: ["killed", "timeout", "succeeded", "exited", "raised"],
      levels: [3, 2],
    },
    {
      name: "sh: all of the disk",
      class: "held",
      program: sh`for d in . /tmp /dev/shm; do head -c 200000000 /dev/zero > $d/big; done; exit 3`,
      ends: ["raised", "disk", "memory", "timeout", "killed"],
    },
    {
      name: "sh: limits and priorities of everybody",
      class: "S4",
      program: sh`ulimit -u 1; ulimit -n 3; renice 19 -p 1 $PPID; exit 0`,
      ends: ["succeeded", "raised"],
    },
    {
      name: "sh: reads what isn't its own",
      class: "held",
      program: sh`cat /etc/shadow /proc/1/environ /proc/1/mem /root/* /proc/*/root/etc/shadow 2>/dev/null | head -c 100; exit 0`,
      ends: ["succeeded"],
      levels: [3, 2, 1],
    },
  ] satisfies AttackRow[]
).map((row) => ({ ...usual, ...row }));

export const commands = attacksOf("command", rows);
