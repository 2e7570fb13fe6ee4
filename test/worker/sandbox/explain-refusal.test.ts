import { expect, test } from "vitest";
import { explainRefusal } from "../../../worker/sandbox/explain-refusal.ts";

const none = { most: null, unprivileged: null, appArmor: null };
const noNamespace = "it does not start: bwrap: No permissions to create new namespace";

test.each([
  [
    "it does not start: bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    none,
    "systempaths=unconfined",
  ],
  [noNamespace, none, "seccomp=deploy/seccomp-worker.json"],
  [noNamespace, { ...none, most: "0" }, "user.max_user_namespaces"],
  [noNamespace, { ...none, unprivileged: "0" }, "kernel.unprivileged_userns_clone=1"],
  [
    "bwrap: setting up uid map: Permission denied",
    { ...none, appArmor: "1" },
    "apparmor_restrict_unprivileged_userns=0",
  ],
  ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", { ...none, appArmor: "1" }, "apparmor"],
])("%s, %o: the sentence names the setting", (complaint, settings, setting) => {
  const told = explainRefusal(complaint, settings);
  expect(told).toContain(complaint);
  expect(told).toContain(setting);
});

test("a complaint of an unknown cause is left as it is", () => {
  expect(explainRefusal("bwrap: execvp x: No such file or directory", none)).not.toContain("(");
  expect(explainRefusal("the namespace is odd", none)).toBe("the namespace is odd");
});
