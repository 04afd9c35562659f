import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Layer, LayerRung } from '../../../src/core/layer.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { LayerReadDeps, LayerSettings } from '../../../src/workspace/layers/layer-deps.ts'
import type { LayerRead } from '../../../src/workspace/layers/layer-read.ts'
import { readLayer } from '../../../src/workspace/layers/read-layer.ts'
import { createDeniedFinder } from '../../../src/workspace/sandbox/find-denied.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'

/** Mounts the layer, runs the script in it, and copies what it sees at the end. */
const ON_LAYER = `
set -e
exec 5<"$3" 6<"$4/upper" 7<"$4/work"
mount -t overlay overlay -o "$1,lowerdir=/proc/self/fd/5,upperdir=/proc/self/fd/6,workdir=/proc/self/fd/7" "$4/merged"
(cd "$4/merged" && sh -c "$2" >/dev/null 2>&1) || true
if test -n "$5"; then cp -a "$4/merged" "$5"; fi
umount "$4/merged"
`

/** A workspace with a layer over it. */
export interface LayerBench {
  readonly top: string
  readonly root: string
  /** What the commands saw at their end. */
  readonly seen: string
  readonly upper: string
  readonly layer: Layer
  /** Runs lines of shell in the workspace itself. */
  readonly prepare: (script: string) => void
  /** Runs lines of shell on the layer. */
  readonly onLayer: (script: string, options?: { readonly isSeen?: boolean }) => void
  readonly read: (settings?: Partial<LayerSettings>, deps?: Partial<LayerReadDeps>) => Promise<LayerRead>
  readonly remove: () => void
}

export const SETTINGS: LayerSettings = {
  onDenied: 'leave_out',
  throwaway: ['__pycache__', '.pytest_cache', 'node_modules/.cache'],
  maxBytes: 2 ** 32,
  maxFiles: 200_000,
  maxFileBytes: 65_536,
}

/** Makes an empty workspace and a layer over it. */
export function makeLayerBench(rung: LayerRung = 'overlay'): LayerBench {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-layer-read-'))
  const at = (name: string): string => join(top, name)
  const part = at('place/x1/0')
  for (const name of ['root', 'home']) mkdirSync(at(name))
  for (const name of ['upper', 'work', 'merged', 'old']) mkdirSync(join(part, name), { recursive: true })
  const isRoot = process.getuid?.() === 0
  const [namespaces, options] = isRoot ? ['-m', 'redirect_dir=on,metacopy=off'] : ['-Urm', 'userxattr']
  const layer: Layer = { rung, execution: 'x1', startedMs: 0, parts: [{ root: at('root'), folder: part }] }
  return {
    top,
    root: at('root'),
    seen: at('seen'),
    upper: join(part, 'upper'),
    layer,
    prepare: (script) => {
      execFileSync('sh', ['-ec', script], { cwd: at('root'), stdio: 'pipe' })
    },
    onLayer: (script, { isSeen = false } = {}) => {
      const words = [options, script, at('root'), part, isSeen ? at('seen') : '']
      execFileSync('unshare', [namespaces, 'sh', '-c', ON_LAYER, 'sh', ...words], { cwd: top, stdio: 'pipe' })
    },
    async read(settings = {}, deps = {}) {
      const root = openRoot(at('root'))
      const sandbox = createSandbox({
        roots: [root],
        deniedPatterns: [],
        allowAbsolute: true,
        includeDefaultDenies: true,
      })
      try {
        const all = { ...SETTINGS, ...settings }
        const { findGit: findGitIn } = createDeniedFinder(() => false, Date.now)
        return await readLayer(layer, {
          sandbox,
          own: [],
          settings: all,
          home: at('home'),
          findGitIn,
          ...deps,
        })
      } finally {
        root.close()
      }
    },
    remove: () => {
      openAll(top)
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/** A folder that its owner may not enter cannot be removed with what is in it. */
function openAll(folder: string): void {
  if (process.getuid?.() === 0) return
  chmodSync(folder, 0o700)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) openAll(path)
  }
}
