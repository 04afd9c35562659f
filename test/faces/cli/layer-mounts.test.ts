import { execFile } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { someOf } from '../../harness/long-run.ts'

const isRoot = process.getuid?.() === 0
/** An ordinary user mounts in a user namespace, where layers keep their marks differently. */
const overlayOrCopy = isRoot ? 'overlay' : expect.stringMatching(/^(?:overlay|copy)$/)

/** Runs one story in a mount namespace of its own; its mounts go with it. */
async function story(name: string, inside: readonly string[] = [], ...who: string[]): Promise<unknown> {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o755)
  const [node, module] = ordinaryProgram(new URL('mount-process.ts', import.meta.url))
  const words = [...inside, node, module, name, isRoot ? 'root' : 'ordinary', ...who]
  const { stdout } = await promisify(execFile)('unshare', [isRoot ? '-m' : '-Urm', ...words], {
    env: { ...process.env, TMPDIR: scratch.path },
    timeout: PATIENCE_MS,
  })
  return JSON.parse(stdout)
}

const LANDED = {
  said: 'two\nx\n',
  changes: ['a', 'link', 'moved/x', 'n', 'odd-\uFFFD', 'src/x'],
  a: 'two\n',
  isUndone: true,
  isRedone: true,
  leftovers: [],
  err: '',
}

describe('commands in a workspace', () => {
  it('on an overlay, as in a container, work on a copy, and on none if it is too large', async () => {
    expect(await story('container')).toEqual({
      ...LANDED,
      layer: 'copy',
      doctor: 'a copy for each command',
      denied: expect.stringContaining('.env would have been removed'),
      isKept: true,
      small: 'none',
    })
  })

  it.for(someOf(['tmpfs', 'bind'], 1))('that is a mount point itself (%s) land by copying', async (name) => {
    expect(await story(name)).toEqual({ ...LANDED, layer: overlayOrCopy })
  })

  it('see what is mounted below it and cannot change or move it', async () => {
    expect(await story('below')).toEqual({ ...BELOW, layer: isRoot ? 'overlay' : 'copy' })
  })

  it('of an ordinary user work on a copy if root mounted something below it', async () => {
    expect(await story('below', [], ...(isRoot ? ['other'] : []))).toEqual({ ...BELOW, layer: 'copy' })
  })

  it('see nothing of what is covered by a mount: on a mount, on a file, in a folder that they write, on a denied name', async () => {
    const seen = { said: 'mounted mounted mounted ', more: ['file'], out: true }
    expect(await story('covered')).toEqual({ ...seen, layer: isRoot ? 'overlay' : 'copy' })
    if (isRoot) expect(await story('covered', [], 'other')).toEqual({ ...seen, layer: 'copy' })
  })

  const LESSER_ROOTS = [
    ['a user namespace', ['unshare', '-Urm']],
    [
      'a container that may not mount',
      ['setpriv', '--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin'],
    ],
  ] as const

  it.for(someOf<(typeof LESSER_ROOTS)[number]>(LESSER_ROOTS, 1))(
    'land for root of %s as for an ordinary user',
    async ([, inside]) => {
      // Losing a power takes more power than an ordinary user has.
      expect(await story('plain', isRoot ? inside : [])).toEqual({ ...LANDED, layer: 'overlay' })
    },
  )
})

const BELOW = {
  said: 'mounted',
  changes: ['folder/beside'],
  moved: expect.stringMatching(/^refused$|something is mounted there/),
  isThere: true,
  other: ['file'],
}
