import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildBwrapArgs } from '../../../src/host/confine/bwrap-args.ts'
import type { BwrapPolicy } from '../../../src/host/confine/bwrap-args.ts'
import { isBelow, orderMounts } from '../../../src/host/confine/mount.ts'
import type { Mount } from '../../../src/host/confine/mount.ts'

const policy: BwrapPolicy = {
  mounts: [],
  cwd: '/w',
  hasNetwork: false,
  filter: null,
  scratchBytes: 1000,
  env: {},
}
const has = (args: readonly string[], ...run: readonly string[]): boolean =>
  args.some((_, at) => run.every((word, offset) => args[at + offset] === word))

describe('arguments for bubblewrap', () => {
  it('share nothing with the outside unless the network was granted', () => {
    const { args } = buildBwrapArgs(policy)
    for (const word of ['--unshare-all', '--unshare-user', '--new-session', '--die-with-parent'])
      expect(args).toContain(word)
    expect(has(args, '--cap-drop', 'ALL')).toBe(true)
    expect(args).not.toContain('--share-net')
    expect(buildBwrapArgs({ ...policy, hasNetwork: true }).args).toContain('--share-net')
  })

  it('pass variables by a descriptor, as other users can read arguments', () => {
    const { args, inputs } = buildBwrapArgs({ ...policy, env: { TOKEN: 'a b', EMPTY: '' } })
    expect(has(args, '--args', '5')).toBe(true)
    expect(args.join(' ')).not.toContain('TOKEN')
    // A shell that starts bubblewrap adds a few of its own.
    expect(new TextDecoder().decode(inputs[0] as Uint8Array)).toBe(
      '--unsetenv\0OLDPWD\0--unsetenv\0SHLVL\0--unsetenv\0_\0--setenv\0TOKEN\0a b\0--setenv\0EMPTY\0\0',
    )
  })

  it('show nothing of the disk that was not named, and carry no variables', () => {
    const { args } = buildBwrapArgs({ ...policy, env: { TOKEN: 'x' } })
    expect(args.filter((word) => /^--(?:ro-|dev-)?bind/.test(word))).toEqual([])
    expect(args.filter((word) => word.includes('env'))).toEqual([])
  })

  it('count their descriptors from the first that is free', () => {
    const filter = new Uint8Array([1])
    const mounts: readonly Mount[] = [
      { kind: 'copy', at: '/etc/passwd', from: '/etc/passwd' },
      { kind: 'copy', at: '/h/.gitconfig', from: new Uint8Array([2]) },
    ]
    const { args, inputs } = buildBwrapArgs({ ...policy, filter, mounts })
    expect(has(args, '--args', '5')).toBe(true)
    expect(has(args, '--file', '6', '/etc/passwd')).toBe(true)
    expect(has(args, '--file', '7', '/h/.gitconfig')).toBe(true)
    expect(has(args, '--seccomp', '8')).toBe(true)
    expect(inputs.slice(1)).toEqual(['/etc/passwd', new Uint8Array([2]), filter])
  })

  it('do without bounds for scratch folders where they are not known', () => {
    expect(buildBwrapArgs(policy).args).toContain('--size')
    expect(buildBwrapArgs({ ...policy, scratchBytes: null }).args).not.toContain('--size')
  })

  it('end where the command begins', () => {
    expect(buildBwrapArgs(policy).args.at(-1)).toBe('--')
  })
})

describe('the order of mounts', () => {
  const place = fc
    .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`)
  const mount: fc.Arbitrary<Mount> = fc.oneof(
    fc.record({ kind: fc.constantFrom('read', 'write', 'scratch', 'hide-file', 'hide-folder'), at: place }),
    fc.record({ kind: fc.constant('link'), at: place, target: fc.constant('x') }),
  )

  it('has a folder before what lies in it, each place once, and what hides or shields in force', () => {
    fc.assert(
      fc.property(fc.array(mount, { maxLength: 20 }), (mounts) => {
        const order = orderMounts(mounts)
        expect(order.map(({ at }) => at).toSorted()).toEqual(
          [...new Set(mounts.map(({ at }) => at))].toSorted(),
        )
        for (const [at, one] of order.entries())
          for (const later of order.slice(at + 1)) expect(isBelow(one.at, later.at)).toBe(false)
        for (const { at, kind } of order) {
          const kinds = mounts.filter((other) => other.at === at).map((other) => other.kind)
          if (kinds.some((other) => other.startsWith('hide'))) expect(kind).toMatch(/^hide/)
          else if (kinds.includes('read')) expect(kind).toBe('read')
        }
      }),
    )
  })

  it('knows a folder from one whose name only begins like it', () => {
    expect(isBelow('/w/root-evil', '/w/root')).toBe(false)
    expect(isBelow('/w/root/x', '/w/root')).toBe(true)
    expect(isBelow('/x', '/')).toBe(true)
  })
})
