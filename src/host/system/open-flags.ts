/** Names a file without opening it, so that no mode is in the way; Node has no name for this flag of Linux. */
export const O_PATH = 0o10_000_000
