/** A file of runtime/, which is beside worker/ in the sources as in the build. */
export const runtimeFile = (path: string): URL => new URL(`../../runtime/${path}`, import.meta.url);
