/** Returns a file of runtime/, which is beside worker/ in the sources and in the build. */
export const runtimeFile = (path: string): URL => new URL(`../../runtime/${path}`, import.meta.url);
