/** The systems that are told apart; everything else is treated with the most caution. */
export type Platform = 'linux' | 'macos' | 'windows' | 'other'

const KNOWN: Readonly<Record<string, Platform>> = { linux: 'linux', darwin: 'macos', win32: 'windows' }

/** What this process runs on. No other file asks. */
export const platform: Platform = KNOWN[process.platform] ?? 'other'
