export const queueName = "skeleton";
export const channel = "skeleton";

export type SkeletonSettings = { databaseUrl: string; redisUrl: string; port: number };
