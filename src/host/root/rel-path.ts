export { showPath } from '../../core/text/display/show-path.ts'

/** Appends a name to a relative folder; '' is the root. */
export function joinRel(folder: string, name: string): string {
  if (folder === '') return name
  return name === '' ? folder : `${folder}/${name}`
}

/** The folder that holds a relative path. */
export function folderOf(rel: string): string {
  const slash = rel.lastIndexOf('/')
  return slash === -1 ? '' : rel.slice(0, slash)
}

/** The last part of a relative path. */
export function nameOf(rel: string): string {
  return rel.slice(rel.lastIndexOf('/') + 1)
}

/** The parts of a relative path; none for the root. */
export function partsOf(rel: string): readonly string[] {
  return rel === '' ? [] : rel.split('/')
}

/** The absolute path of something below a root. */
export function absoluteOf(rootPath: string, rel: string): string {
  if (rel === '') return rootPath
  return rootPath.endsWith('/') ? rootPath + rel : `${rootPath}/${rel}`
}

/** The part of an absolute path below a root, or null if it is not below it; compares whole parts. */
export function relativeTo(rootPath: string, absolute: string): string | null {
  if (absolute === rootPath) return ''
  const prefix = rootPath.endsWith('/') ? rootPath : `${rootPath}/`
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : null
}

/** Whether a name is a single part of a path: not empty, `.` or `..`, and without slashes. */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/')
}

/** The last part of a path that names something below the root; throws a system error for the root itself. */
export function plainName(rel: string): string {
  const name = nameOf(rel)
  if (isPlainName(name) && !rel.startsWith('/')) return name
  throw Object.assign(new Error(`not a name: ${rel}`), { code: 'EISDIR' })
}
