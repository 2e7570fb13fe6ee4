/** Single keys can be in the way of other programs that are used by keys or by voice. The palette's key stays. */
export const areKeysOn = (): boolean => localStorage.getItem("keys") !== "off";

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem("keys");
  else localStorage.setItem("keys", "off");
}
