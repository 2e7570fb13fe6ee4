/** The kernel's settings for user namespaces, as in the files below /proc/sys; null for a missing file. */
export type NamespaceSettings = {
  /** user.max_user_namespaces */
  most: string | null;
  /** kernel.unprivileged_userns_clone, on Debian's kernels. */
  unprivileged: string | null;
  /** kernel.apparmor_restrict_unprivileged_userns, on Ubuntu's. */
  appArmor: string | null;
};

const inContainer =
  "in a container set security_opt seccomp=deploy/seccomp-worker.json, apparmor=unconfined and systempaths=unconfined";

/**
 * Returns bubblewrap's complaint, followed by what to do where the cause is known. The kernel refuses a new /proc to a user
 * namespace whose own /proc has masked paths (mount_too_revealing() in fs/namespace.c).
 */
export function explainRefusal(complaint: string, settings: NamespaceSettings): string {
  if (!complaint.includes("bwrap: ")) return complaint;
  if (/mount proc/i.test(complaint))
    return `${complaint} (the container masks parts of /proc: set security_opt systempaths=unconfined with Docker, procMount: Unmasked and hostUsers: false with Kubernetes)`;
  const advice = adviceFor(settings);
  return /namespace|uid map|RTM_NEWADDR|setns|unshare/i.test(complaint) ? `${complaint} (${advice})` : complaint;
}

function adviceFor({ most, unprivileged, appArmor }: NamespaceSettings): string {
  if (most === "0") return "user namespaces are off: set sysctl user.max_user_namespaces on the host";
  if (unprivileged === "0")
    return "user namespaces are root's only: set sysctl kernel.unprivileged_userns_clone=1 on the host";
  if (appArmor === "1")
    return `AppArmor refuses user namespaces: set sysctl kernel.apparmor_restrict_unprivileged_userns=0 on the host, or give bwrap a profile with userns; ${inContainer}`;
  return `user namespaces are refused: ${inContainer}`;
}
