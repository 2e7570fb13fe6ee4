declare module "react-test-renderer" {
  export function create(element: unknown): { unmount(): void };
}
