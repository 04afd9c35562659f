import { spawn } from 'node:child_process'
import type { Environment } from '../fs/folders.ts'
import { pathOutside } from '../run/order-path.ts'
import { platform } from './platform.ts'

/**
 * Shows a page in the user's browser, if there is a desktop to show it on; nothing waits for it. The program is not
 * looked up in the folders that models work in.
 */
export function openPage(url: string, env: Environment, roots: readonly string[]): void {
  const hasDesktop =
    platform === 'macos' || (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== ''
  if (!hasDesktop || !/^https?:\/\//.test(url)) return
  const PATH = pathOutside(env['PATH'] ?? '', roots) || '/usr/bin:/bin'
  const program = platform === 'macos' ? 'open' : 'xdg-open'
  const child = spawn(program, [url], { cwd: '/', env: { ...env, PATH }, detached: true, stdio: 'ignore' })
  child.once('error', () => undefined)
  child.unref()
}
