/** The roles of a process: `api` serves requests; `worker` syncs, delivers and runs workflows; `all` does both. */
export const roles = ['all', 'api', 'worker'] as const
export type Role = (typeof roles)[number]
