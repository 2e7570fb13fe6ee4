/** True for an answer with which a service says that it hasn't done what it was asked, and that another try may succeed. */
export const isRetryableStatus = (status: number): boolean => status === 429 || status >= 500;
