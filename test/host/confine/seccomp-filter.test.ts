import { describe, expect, it } from 'vitest'
import { buildSeccompFilter } from '../../../src/host/confine/seccomp/seccomp-filter.ts'
import { AUDIT_ARCH, SYSCALLS, syscallNumber } from '../../../src/host/confine/seccomp/syscall-numbers.ts'
import type { Processor, Syscall } from '../../../src/host/confine/seccomp/syscall-numbers.ts'

interface Call {
  readonly number: number
  readonly arch: number
  readonly args?: readonly number[]
}

/** Runs the filter as the kernel does, and gives its verdict in words. */
function judge(filter: Uint8Array, { number, arch, args = [] }: Call): string {
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, arch, true)
  for (const [at, arg] of args.entries()) data.setUint32(16 + 8 * at, arg >>> 0, true)
  const code = new DataView(filter.buffer, filter.byteOffset, filter.length)
  let a = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const operation = code.getUint16(at * 8, true)
    const value = code.getUint32(at * 8 + 4, true)
    const jump = (isTrue: boolean): number => code.getUint8(at * 8 + (isTrue ? 2 : 3))
    if (operation === 0x20) a = data.getUint32(value, true)
    else if (operation === 0x54) a = (a & value) >>> 0
    else if (operation === 0x15) at += jump(a === value)
    else if (operation === 0x35) at += jump(a >= value)
    else if (operation === 0x45) at += jump((a & value) !== 0)
    else if (operation === 0x06) return VERDICTS[value] ?? value.toString(16)
    else throw new Error(`the kernel knows no operation ${operation.toString(16)}`)
  }
  throw new Error('the filter runs off its end')
}

const VERDICTS: Readonly<Record<number, string>> = {
  0x7fff0000: 'allow',
  0x50001: 'EPERM',
  0x50026: 'ENOSYS',
  0x80000000: 'kill',
}
const [UNIX, INET, INET6, NETLINK, PACKET, VSOCK] = [1, 2, 10, 16, 17, 40]
const [STREAM, DGRAM, RAW, SEQPACKET, NONBLOCK, CLOEXEC] = [1, 2, 3, 5, 0o4000, 0o2000000]

describe.each(['x64', 'arm64'] as const)('the filter for %s', (processor: Processor) => {
  const filter = buildSeccompFilter(processor)
  const arch = AUDIT_ARCH[processor]
  const on = (name: Syscall, ...args: readonly number[]): string => {
    const number = syscallNumber(name, processor)
    return number === null ? 'no such call' : judge(filter, { number, arch, args })
  }

  it('is within what the kernel takes', () => {
    expect(filter.length % 8).toBe(0)
    expect(filter.length / 8).toBeLessThan(4096)
  })

  it.for([
    ['socket', [UNIX, STREAM], 'EPERM'],
    ['socket', [UNIX, DGRAM | CLOEXEC], 'EPERM'],
    ['socket', [INET, STREAM], 'allow'],
    ['socket', [INET6, DGRAM | CLOEXEC], 'allow'],
    ['socket', [NETLINK, RAW, 0], 'allow'],
    ['socket', [NETLINK, RAW, 9], 'EPERM'],
    ['socket', [PACKET, RAW], 'EPERM'],
    ['socket', [VSOCK, STREAM], 'EPERM'],
    ['socketpair', [UNIX, STREAM | CLOEXEC | NONBLOCK], 'allow'],
    ['socketpair', [UNIX, SEQPACKET], 'allow'],
    ['socketpair', [UNIX, DGRAM], 'EPERM'],
    ['socketpair', [UNIX, RAW | NONBLOCK], 'EPERM'],
    ['clone', [0x01200011], 'allow'],
    ['clone', [0x003d0f00], 'allow'],
    ['clone', [0x10000011], 'EPERM'],
    ['clone', [0x00020011], 'EPERM'],
    ['clone3', [0], 'ENOSYS'],
    ['openat2', [0], 'ENOSYS'],
    ['unshare', [0x400], 'allow'],
    ['unshare', [0x10000000], 'EPERM'],
    ['unshare', [0x40000000], 'EPERM'],
    ['setns', [3], 'EPERM'],
    ['ioctl', [0, 0x5401], 'allow'],
    ['ioctl', [0, 0x5412], 'EPERM'],
    ['ioctl', [0, 0x541c], 'EPERM'],
    ['fchmodat', [0, 0, 0o755], 'allow'],
    ['fchmodat', [0, 0, 0o4755], 'EPERM'],
    ['fchmodat', [0, 0, 0o2755], 'EPERM'],
    ['fchmod', [0, 0o1777], 'allow'],
    ['fchmod', [0, 0o4755], 'EPERM'],
    ['fchmod', [0, 0o2755], 'EPERM'],
    ['fchmodat2', [0, 0, 0o755], 'allow'],
    ['fchmodat2', [0, 0, 0o4755], 'EPERM'],
    ['fchmodat2', [0, 0, 0o2755], 'EPERM'],
    ['mknodat', [0, 0, 0o100755], 'allow'],
    ['mknodat', [0, 0, 0o104755], 'EPERM'],
    ['mknodat', [0, 0, 0o102755], 'EPERM'],
    ['openat', [0, 0, 0, 0o4755], 'allow'],
    ['openat', [0, 0, 0o100, 0o644], 'allow'],
    ['openat', [0, 0, 0o101, 0o4755], 'EPERM'],
    ['openat', [0, 0, 0o101, 0o2755], 'EPERM'],
    ['openat', [0, 0, 0o20200002, 0o4755], 'EPERM'],
    ['openat', [0, 0, 0o20200002, 0o2755], 'EPERM'],
    ['io_uring_setup', [8], 'ENOSYS'],
    ['keyctl', [], 'EPERM'],
    ['ptrace', [], 'EPERM'],
    ['mount', [], 'EPERM'],
    ['bpf', [], 'EPERM'],
  ] as const)('judges %s(%j): %s', ([name, args, verdict]) => {
    expect(on(name, ...args)).toBe(verdict)
  })

  it('lets every call pass that it does not know', () => {
    const known = new Set(Object.keys(SYSCALLS).map((name) => syscallNumber(name as Syscall, processor)))
    const others = Array.from({ length: 600 }, (_, number) => number).filter((number) => !known.has(number))
    expect(others.filter((number) => judge(filter, { number, arch, args: [1, 1, 1] }) !== 'allow')).toEqual(
      [],
    )
  })

  it('kills who calls by the numbers of another processor', () => {
    expect(judge(filter, { number: 0, arch: 0x40000003 })).toBe('kill')
    expect(judge(filter, { number: 0, arch: AUDIT_ARCH[processor === 'x64' ? 'arm64' : 'x64'] })).toBe('kill')
    if (processor === 'x64')
      expect(judge(filter, { number: 0x40000000 + 41, arch, args: [UNIX] })).toBe('kill')
  })
})
