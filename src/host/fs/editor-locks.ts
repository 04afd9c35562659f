import { lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { homeFolder } from './folders.ts'

/** A program that has a file open, and the lock by which that is known. */
export interface EditorLock {
  readonly editor: string
  readonly lock: string
  /** Who holds it, if the lock says so. */
  readonly holder: string | null
}

/** Vim takes the next one if there is a swap file already. */
const SWAP_ENDINGS = ['swp', 'swo', 'swn'] as const

/** The locks that editors put beside a file while it is open, or has changes that are not saved. */
export function findEditorLocks(file: string): readonly EditorLock[] {
  const folder = dirname(file)
  const name = basename(file)
  const hidden = name.startsWith('.') ? name : `.${name}`
  const candidates = [
    { editor: 'Emacs', lock: `.#${name}` },
    ...SWAP_ENDINGS.map((ending) => ({ editor: 'Vim', lock: `${hidden}.${ending}` })),
    // Neovim keeps them in one folder, named after the whole path.
    { editor: 'Neovim', lock: join(neovimFolder(), `${file.replaceAll('/', '%')}.swp`) },
    { editor: 'Kate', lock: `.${name}.kate-swp` },
    { editor: 'LibreOffice', lock: `.~lock.${name}#` },
    { editor: 'Microsoft Office', lock: `~$${name}` },
  ]
  return candidates.flatMap(({ editor, lock }) => {
    const path = resolve(folder, lock)
    // The lock of Emacs is a link that leads nowhere: its target is who holds it.
    const found = lookAt(path)
    return found === null ? [] : [{ editor, lock, holder: found.holder }]
  })
}

function lookAt(path: string): { readonly holder: string | null } | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isDirectory()) return null
    return { holder: found.isSymbolicLink() ? readlinkSync(path) : null }
  } catch {
    return null
  }
}

function neovimFolder(): string {
  const state = process.env['XDG_STATE_HOME'] ?? ''
  return join(!isAbsolute(state) ? join(homeFolder(process.env), '.local/state') : state, 'nvim/swap')
}
