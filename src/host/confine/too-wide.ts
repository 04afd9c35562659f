const TOO_WIDE: ReadonlySet<string> = new Set([
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/nix',
  '/opt',
  '/proc',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/usr',
  '/var',
])

/** Whether a folder holds the system or everybody's work: to open all of it is to have no sandbox. */
export function isTooWide(folder: string): boolean {
  return TOO_WIDE.has(folder)
}
