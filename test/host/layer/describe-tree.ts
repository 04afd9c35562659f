import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** Everything in a folder, by its path as Latin-1: kind, mode and content. Times do not count. */
export function describeTree(top: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (path: string): void => {
    const absolute = Buffer.from(`${top}/${path}`, 'latin1')
    for (const name of readdirSync(absolute, 'latin1')) {
      const inner = path === '' ? name : `${path}/${name}`
      const at = Buffer.from(`${top}/${inner}`, 'latin1')
      const stats = lstatSync(at)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) found.set(inner, `link to ${readlinkSync(at, 'latin1')}`)
      else if (stats.isDirectory()) {
        found.set(inner, `folder ${mode}`)
        visit(inner)
      } else found.set(inner, `file ${mode} ${readFileSync(at, 'latin1')}`)
    }
  }
  visit('')
  return found
}
