import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalizeRequirements, requirementsFault } from "../../../../shared/domain/agent/requirement.ts";
import { quickest } from "../../../harness/quickest.ts";

describe("a requirement", () => {
  test.each([
    "httpx",
    "httpx>=0.27",
    "httpx >= 0.27, < 1",
    "uvicorn[standard]==0.30.*",
    "A.b-c_d[x , y]~=1.2",
    "pkg (>=1.0,!=1.1)",
    "torch==2.1.0+cpu",
    'tomli; python_version < "3.11" and sys_platform == "linux"',
    "x===1.0-odd_one",
    "x!=1!2.0",
  ])("may be '%s'", (one) => {
    expect(requirementsFault([one])).toBeNull();
  });

  test.each([
    "",
    "-r requirements.txt",
    "--index-url=http://x",
    "-e .",
    "./local",
    "/abs",
    "git+https://x/y",
    "x @ http://x/y.whl",
    "x@file:///etc",
    "x;\n--index-url=http://x",
    "x>=1\n--pre",
    "x>=1 --hash=sha256:00",
    "x --global-option=a",
    "x # comment",
    "x ${HOME}",
    "x;`id`",
    "x; python_version < '3' \\",
    "ｘ",
    "x>=１",
    "x\u0000",
    "x\u2028y",
    "x>=",
    "x>1,",
    "x[",
    "x[../y]",
    "x=1",
    "-x",
    "x-",
    "a".repeat(257),
  ])("can't be %j", (one) => {
    expect(requirementsFault(["fine", one])).toMatchObject({ index: 1 });
  });

  test("list has a bound, and is checked in a moment whatever it holds", async () => {
    expect(requirementsFault(Array.from({ length: 501 }, () => "x"))).toEqual({
      index: 500,
      message: "at most 500 requirements are allowed",
    });
    const blanks = " ".repeat(250);
    const slow = [
      `${"a".repeat(255)}!`,
      `a${blanks}!`,
      `a[${blanks}`,
      `a>${blanks}!`,
      `a(${blanks}!`,
      `a[${"a,".repeat(120)}`,
      `a${">=1,".repeat(60)}`,
      `a;${" ".repeat(250)}§`,
    ];
    const refuseAll = async (): Promise<number> => {
      const began = performance.now();
      for (const one of slow)
        expect(requirementsFault(Array.from({ length: 100 }, () => one))).toMatchObject({ index: 0 });
      return performance.now() - began;
    };
    expect(await quickest(500, refuseAll)).toBeLessThan(500);
    fc.assert(fc.property(fc.array(fc.string({ maxLength: 300 })), (any) => void requirementsFault(any)));
  });

  test("list that means the same has the same form, whatever its order, case, blanks and separators", () => {
    const one = normalizeRequirements(["Foo.Bar >= 1.0 , <2", "b[Y,x]", "b[x, y]", "c ( ==1 )"]);
    expect(one).toEqual(["b[x,y]", "c==1", "foo-bar>=1.0,<2"]);
    expect(normalizeRequirements(["c==1", "b[x,y]", "foo_-bar>=1.0,<2"])).toEqual(one);
    expect(normalizeRequirements(["a; x == 'B c'"])).not.toEqual(normalizeRequirements(["a; x == 'Bc'"]));
  });
});
