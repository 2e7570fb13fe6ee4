/** https://www.w3.org/TR/trace-context/#traceparent-header: version ff and all-zero ids are invalid. */
export const parseTraceparent = (header: string | undefined): string | undefined =>
  header && /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(header)
    ? header
    : undefined;
