import { AUDIT_ARCH, syscallNumber } from './syscall-numbers.ts'
import type { Processor, Syscall } from './syscall-numbers.ts'

const EPERM = 1
const ENOSYS = 38

/** System calls that no build, test or script needs and that reach outside the sandbox or deep into the kernel. */
const REFUSED: readonly Syscall[] = [
  'acct',
  'add_key',
  'adjtimex',
  'bpf',
  'clock_adjtime',
  'clock_settime',
  'delete_module',
  'fanotify_init',
  'finit_module',
  'fsconfig',
  'fsmount',
  'fsopen',
  'fspick',
  'init_module',
  'ioperm',
  'iopl',
  'kcmp',
  'kexec_file_load',
  'kexec_load',
  'keyctl',
  'lookup_dcookie',
  'mount',
  'mount_setattr',
  'move_mount',
  'nfsservctl',
  'open_by_handle_at',
  'open_tree',
  'open_tree_attr',
  'perf_event_open',
  'pidfd_getfd',
  'pivot_root',
  'process_madvise',
  'process_vm_readv',
  'process_vm_writev',
  'ptrace',
  'quotactl',
  'quotactl_fd',
  'reboot',
  'request_key',
  'setdomainname',
  'sethostname',
  'setns',
  'settimeofday',
  'swapoff',
  'swapon',
  'syslog',
  'umount2',
  'userfaultfd',
  'vhangup',
]

/**
 * Calls that fail as if this kernel did not have them. `clone3` and `openat2` take their flags through a pointer, which
 * no filter can follow, and programs fall back to `clone` and `openat`; io_uring opens sockets without the call that is
 * filtered here.
 */
const ABSENT: readonly Syscall[] = [
  'clone3',
  'io_uring_enter',
  'io_uring_register',
  'io_uring_setup',
  'openat2',
]

/** Calls that set the mode of a file, and which argument holds it. */
const MODES: readonly (readonly [Syscall, number])[] = [
  ['chmod', 1],
  ['fchmod', 1],
  ['fchmodat', 2],
  ['fchmodat2', 2],
  ['creat', 1],
  ['mknod', 1],
  ['mknodat', 2],
]
/** Calls whose mode only counts if the flags in the argument before it allow creating a file. */
const OPENS: readonly (readonly [Syscall, number])[] = [
  ['open', 1],
  ['openat', 2],
]

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const NETLINK_ROUTE = 0
const SOCK_STREAM = 1
const SOCK_SEQPACKET = 5
const SOCK_TYPE_MASK = 0xf
/** New mounts, cgroups, host names, message queues, users, processes, network. */
const NEW_NAMESPACES = 0x7e020000
/** The bits that make a program run with the rights of its file's owner or group. */
const SET_ID = 0o6000
/** O_CREAT, and the bit that makes O_TMPFILE more than O_DIRECTORY. */
const MAY_MAKE_FILE = 0o20000100
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
/** Calls of the x32 ABI carry this bit and have other numbers, by which they would pass the filter. */
const X32_BIT = 0x40000000

const LOAD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const AND = 0x54
const RETURN = 0x06

const ALLOW = 0x7fff0000
const FAIL_WITH = 0x00050000
const KILL_PROCESS = 0x80000000

const NUMBER_AT = 0
const ARCH_AT = 4
/** The offset of the low half of an argument; the kernel treats all arguments checked here as 32 bits wide. */
const argumentAt = (index: number): number => 16 + 8 * index

interface Step {
  readonly code: number
  readonly yes: number
  readonly no: number
  readonly value: number
}

const load = (offset: number): Step => ({ code: LOAD, yes: 0, no: 0, value: offset })
const mask = (value: number): Step => ({ code: AND, yes: 0, no: 0, value })
const give = (value: number): Step => ({ code: RETURN, yes: 0, no: 0, value })
const jump = (code: number, value: number, yes: number, no: number): Step => ({ code, yes, no, value })
/** Returns `verdict` if the test holds, else continues. */
const when = (code: number, value: number, verdict: number): readonly Step[] => [
  jump(code, value, 0, 1),
  give(verdict),
]

/**
 * Assembles the BPF program that the kernel runs before every system call of a confined command. Sockets are an
 * allow-list of the address families that a network namespace isolates. Datagram socket pairs are refused because either
 * end could be connected to a socket outside by its path; other pairs stay connected to each other. No file may get the
 * set-user-ID or set-group-ID bit, which would take effect outside the sandbox, for any user. The filter cannot tell a
 * folder from a file; folders still inherit the bit, and `mkdir` ignores it.
 */
export function buildSeccompFilter(processor: Processor): Uint8Array {
  const refuse = FAIL_WITH | EPERM
  const steps: Step[] = [
    load(ARCH_AT),
    jump(JUMP_IF_EQUAL, AUDIT_ARCH[processor], 1, 0),
    give(KILL_PROCESS),
    load(NUMBER_AT),
  ]
  if (processor === 'x64') steps.push(...when(JUMP_IF_AT_LEAST, X32_BIT, KILL_PROCESS))

  const onCall = (name: Syscall, verdicts: readonly Step[]): void => {
    const number = syscallNumber(name, processor)
    if (number !== null) steps.push(jump(JUMP_IF_EQUAL, number, 0, verdicts.length), ...verdicts)
  }
  for (const name of REFUSED) onCall(name, [give(refuse)])
  for (const name of ABSENT) onCall(name, [give(FAIL_WITH | ENOSYS)])
  onCall('socket', [
    load(argumentAt(0)),
    ...when(JUMP_IF_EQUAL, AF_INET, ALLOW),
    ...when(JUMP_IF_EQUAL, AF_INET6, ALLOW),
    jump(JUMP_IF_EQUAL, AF_NETLINK, 0, 3),
    load(argumentAt(2)),
    ...when(JUMP_IF_EQUAL, NETLINK_ROUTE, ALLOW),
    give(refuse),
  ])
  onCall('socketpair', [
    load(argumentAt(0)),
    jump(JUMP_IF_EQUAL, AF_UNIX, 0, 6),
    load(argumentAt(1)),
    mask(SOCK_TYPE_MASK),
    ...when(JUMP_IF_EQUAL, SOCK_STREAM, ALLOW),
    ...when(JUMP_IF_EQUAL, SOCK_SEQPACKET, ALLOW),
    give(refuse),
  ])
  const refuseNamespaces = [
    load(argumentAt(0)),
    ...when(JUMP_IF_ANY_BIT, NEW_NAMESPACES, refuse),
    give(ALLOW),
  ]
  onCall('clone', refuseNamespaces)
  onCall('unshare', refuseNamespaces)
  for (const [name, at] of MODES)
    onCall(name, [load(argumentAt(at)), ...when(JUMP_IF_ANY_BIT, SET_ID, refuse), give(ALLOW)])
  for (const [name, at] of OPENS)
    onCall(name, [
      load(argumentAt(at)),
      jump(JUMP_IF_ANY_BIT, MAY_MAKE_FILE, 0, 3),
      load(argumentAt(at + 1)),
      ...when(JUMP_IF_ANY_BIT, SET_ID, refuse),
      give(ALLOW),
    ])
  onCall('ioctl', [
    load(argumentAt(1)),
    ...when(JUMP_IF_EQUAL, TIOCSTI, refuse),
    ...when(JUMP_IF_EQUAL, TIOCLINUX, refuse),
    give(ALLOW),
  ])
  steps.push(give(ALLOW))
  return encode(steps)
}

function encode(steps: readonly Step[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(steps.length * 8))
  for (const [at, step] of steps.entries()) {
    bytes.setUint16(at * 8, step.code, true)
    bytes.setUint8(at * 8 + 2, step.yes)
    bytes.setUint8(at * 8 + 3, step.no)
    bytes.setUint32(at * 8 + 4, step.value, true)
  }
  return new Uint8Array(bytes.buffer)
}
