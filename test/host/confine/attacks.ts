import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { eventually, findByCommandLine, OUTSIDE_SECRET, oddSeconds } from '../run/command-bench.ts'
import type { CommandBench } from '../run/command-bench.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { shellWord } from '../../harness/shell-word.ts'

/** A bench with things outside that a command might want to reach. */
export interface AttackBench extends CommandBench {
  readonly port: number
  /** A socket that somebody outside listens on; it lies in the workspace, where a command can see it. */
  readonly socket: string
  readonly abstractName: string
  /** How many have come to either. */
  readonly visitors: () => number
  readonly victim: { readonly pid: number; readonly mark: string }
  /** The value of a variable that this process was started with. */
  readonly variable: string
  readonly close: () => Promise<void>
}

/** What is tried, by name; each says what it got hold of, or null if it was held off. */
export type Attack = (bench: AttackBench) => Promise<string | null>

/** Fails if the text holds any of these. */
function leak(text: string, ...secrets: readonly string[]): string | null {
  return secrets.some((secret) => text.includes(secret)) ? text.slice(0, 300) : null
}

/** Runs a line that prints OPEN where it gets through, after showing that it ran at all. */
function prints(line: string): Attack {
  return async ({ sh }) => {
    const { stdout, stderr } = await sh(`echo began; ${line}`)
    if (!stdout.startsWith('began\n')) return `it did not run: ${stderr}`
    return leak(stdout, 'OPEN')
  }
}

/** Runs a program in Perl, whose `syscall` knows no rules; it prints OPEN where it gets through. */
function perl(code: string): Attack {
  return async ({ run }) => {
    const { stdout, stderr } = await run(['perl', '-e', `$| = 1; print "began\\n"; ${code}`])
    if (!stdout.startsWith('began\n')) return `it did not run: ${stderr}`
    return leak(stdout, 'OPEN')
  }
}

/** A system call by its number on this processor; anything but a failure is a way through. */
function syscall(x64: number, arm64: number, ...args: readonly string[]): Attack {
  const number = process.arch === 'x64' ? x64 : arm64
  return perl(`print "OPEN" if syscall(${[number, ...args].join(', ')}) != -1`)
}

/** Runs a line and looks at a file outside of the workspace afterwards. */
function outsideUnchanged(line: (bench: AttackBench) => string): Attack {
  return async (bench) => {
    await bench.sh(line(bench))
    const isIntact = readFileSync(join(bench.outside, 'secret.txt'), 'utf8') === OUTSIDE_SECRET
    return isIntact && !existsSync(join(bench.outside, 'new')) ? null : 'something outside has changed'
  }
}

/** Runs a line and sees whether anybody came to the sockets outside. */
function nobodyCame(line: (bench: AttackBench) => readonly string[]): Attack {
  return async (bench) => {
    const before = bench.visitors()
    const { stdout, stderr } = await bench.run(line(bench))
    if (!stdout.startsWith('began')) return `it did not run: ${stderr}`
    return (await cameSince(bench, before)) ? 'a connection came through' : null
  }
}

/** A busy machine hears of a visitor only a while later. */
function cameSince(bench: AttackBench, before: number): Promise<boolean> {
  return eventually(() => bench.visitors() !== before, VISIT_MS)
}

const VISIT_MS = 300

export const attacks: Readonly<Record<string, Attack>> = {
  'write a file outside': outsideUnchanged(
    ({ outside }) => `echo x >${shellWord(outside)}/secret.txt; echo x >${shellWord(outside)}/new`,
  ),
  'write outside through a link': outsideUnchanged(
    ({ outside }) => `ln -s ${shellWord(outside)} door; echo x >door/secret.txt; echo x >door/new`,
  ),
  'write outside through /proc': outsideUnchanged(
    ({ outside }) =>
      `for p in 1 self; do echo x >/proc/$p/root${shellWord(outside)}/secret.txt; echo x >/proc/$p/cwd/../outside/new; done`,
  ),
  'remove the workspace from outside': outsideUnchanged(
    () => 'cd ..; rm -rf outside ../outside; mv root other',
  ),
  'read a file outside': async ({ sh, outside }) => {
    const ways = [`${outside}/secret.txt`, '../outside/secret.txt', `/proc/1/root${outside}/secret.txt`]
    const { stdout } = await sh(
      `cat ${ways.map(shellWord).join(' ')}; ln ${shellWord(outside)}/secret.txt h && cat h; ls -la ..; ls -la ${shellWord(outside)}`,
    )
    return leak(stdout, OUTSIDE_SECRET, 'secret.txt')
  },
  'read what only root may': prints(
    'for f in /etc/shadow /etc/gshadow /etc/sudoers /root/.bashrc /etc/ssh/sshd_config /var/log/dpkg.log; do cat $f >/dev/null 2>&1 && echo OPEN $f; done',
  ),
  'find secrets in variables': async ({ sh, variable }) => {
    const { stdout } = await sh(
      'env; cat /proc/1/environ /proc/self/environ /proc/[0-9]*/environ; cat /proc/*/task/*/environ',
    )
    return leak(stdout, variable)
  },
  'see processes outside': async ({ sh, victim }) => {
    const { stdout } = await sh('cat /proc/[0-9]*/cmdline | tr "\\0" " "; ls -d /proc/[0-9]* | wc -l')
    const count = Number(/(\d+)\n$/.exec(stdout)?.[1])
    return count > 0 && count < 12 ? leak(stdout, victim.mark) : `it sees ${count} processes`
  },
  'kill a process outside': async ({ sh, victim }) => {
    await sh(`kill -9 ${victim.pid}; kill -9 -1; killall -9 sleep; pkill -9 sleep`)
    return existsSync(`/proc/${victim.pid}`) ? null : 'the process is gone'
  },
  'connect to a server on this machine': nobodyCame(({ port }) => [
    'bash',
    '-c',
    `echo began; (echo hi >/dev/tcp/127.0.0.1/${port}); (echo hi >/dev/tcp/localhost/${port}); echo hi >/dev/udp/127.0.0.1/${port}`,
  ]),
  'connect to another machine': perl(
    'use Socket; socket(S, AF_INET, SOCK_STREAM, 0); alarm 2; print "OPEN" if connect(S, sockaddr_in(53, inet_aton("1.1.1.1"))) || $!{EINPROGRESS} || $!{ECONNREFUSED}; ',
  ),
  'connect to a socket in the workspace': nobodyCame(({ socket }) => [
    'perl',
    '-MSocket',
    '-e',
    `print "began"; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(${JSON.stringify(socket)}))`,
  ]),
  'connect to a socket without a path': nobodyCame(({ abstractName }) => [
    'perl',
    '-MSocket',
    '-e',
    `print "began"; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack("S a*", AF_UNIX, "\\0${abstractName}"))`,
  ]),
  'make a socket that can be sent anywhere': perl(
    'use Socket; for $t (2, 3) { print "OPEN $t" if socketpair(A, B, AF_UNIX, $t, 0) } print "OPEN" if socket(A, AF_UNIX, SOCK_DGRAM, 0)',
  ),
  'use address families that no namespace holds': perl(
    'use Socket; for $f (17, 38, 40, 16, 31, 21) { print "OPEN $f" if socket(S, $f, 3, $f == 16 ? 9 : 0) || socket(S, $f, 1, $f == 16 ? 9 : 0) }',
  ),
  'mount over what is shielded': prints(
    'mount -o remount,rw /usr && echo OPEN; mount -t tmpfs none /usr && echo OPEN; mount --bind . /usr && echo OPEN; umount /usr && echo OPEN; umount -l /proc && echo OPEN',
  ),
  'make new namespaces': prints(
    'unshare -U true && echo OPEN; unshare -Ur true && echo OPEN; unshare -m true && echo OPEN; unshare -p -f true && echo OPEN; unshare -n true && echo OPEN; nsenter -t 1 -m true && echo OPEN; chroot / true && echo OPEN',
  ),
  'gain capabilities': async ({ sh }) => {
    const { stdout } = await sh(
      'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status; grep -E "^CapBnd" /proc/1/status',
    )
    const isBare = /^(?:Cap\w+:\t0+\n|NoNewPrivs:\t1\n|Seccomp:\t2\n)+$/.test(stdout)
    return isBare ? null : stdout
  },
  'make a device': prints(
    'mknod d c 1 1 && echo OPEN; mknod d b 8 0 && echo OPEN; cat /dev/mem /dev/sda /dev/vda 2>/dev/null && echo OPEN',
  ),
  'change the kernel': prints(
    '[ -w /proc/sys/kernel/core_pattern ] && echo OPEN; echo b >/proc/sysrq-trigger && echo OPEN; echo 0 >/proc/sys/kernel/randomize_va_space && echo OPEN; ls /sys/kernel >/dev/null 2>&1 && echo OPEN',
  ),
  'write to the system': prints(
    'for d in / /usr /usr/bin /etc /bin /lib /dev /proc /run; do (echo x >$d/tongs-attack) 2>/dev/null && echo OPEN $d; done; echo x >>/etc/passwd && echo OPEN',
  ),
  'type into the terminal': perl(
    'open T, "+</dev/tty" and print "OPEN"; $c = "x"; print "OPEN" if ioctl(STDIN, 0x5412, $c)',
  ),
  'debug a process': syscall(101, 117, '16', '1', '0', '0'),
  'read the memory of a process': syscall(310, 270, '1', '0', '0', '0', '0', '0'),
  'load a program into the kernel': syscall(321, 280, '0', '0', '0'),
  'count events of the kernel': syscall(298, 241, '0', '0', '-1', '-1', '0'),
  'handle faults of memory': syscall(323, 282, '0'),
  'use keys of the kernel': async (bench) =>
    (await syscall(250, 219, '0', '-3', '0')(bench)) ??
    (await syscall(248, 217, '"user"', '"k"', '"v"', '1', '-3')(bench)),
  'use rings that skip the filter': perl('$p = "\\0" x 120; print "OPEN" if syscall(425, 8, $p) != -1'),
  'open files by handle': syscall(304, 265, '-100', '0', '0'),
  'start another kernel': async (bench) =>
    (await syscall(246, 104, '0', '0', '0', '0')(bench)) ??
    (await syscall(169, 142, '0', '0', '0', '0')(bench)),
  'clone into a new user namespace': syscall(56, 220, '0x10000011', '0', '0', '0', '0'),
  'clone by a call whose flags are hidden': perl(
    '$a = pack("Q11", 0x10000000); print "OPEN" if syscall(435, $a, 88) != -1',
  ),
  'speak the other dialect of system calls': async ({ run }) => {
    if (process.arch !== 'x64') return null
    const { stdout, signal } = await run([
      'perl',
      '-e',
      '$| = 1; print "began"; print "OPEN" if syscall(0x40000000 + 41, 1, 1, 0) != -1',
    ])
    return signal === 'SIGSYS' && stdout === 'began' ? null : `${signal} ${stdout}`
  },
  'have its own sandbox started': async (bench) => {
    const planted = join(bench.root, 'bwrap')
    writeFileSync(planted, `#!/bin/sh\ntouch ${shellWord(bench.outside)}/planted\n`, { mode: 0o755 })
    const path = `${bench.root}:${process.env['PATH'] ?? ''}`
    const confinement = await bench.confine({ path })
    const end = await bench.sh('echo ran', { confinement, env: { PATH: path } })
    if (end.stdout !== 'ran\n') return end.stderr
    return existsSync(join(bench.outside, 'planted')) ? 'the planted program was run' : null
  },
  'read what is masked': async (bench) => {
    writeFileSync(join(bench.root, '.env'), OUTSIDE_SECRET)
    mkdirSync(join(bench.root, '.ssh'), { recursive: true })
    writeFileSync(join(bench.root, '.ssh/id'), OUTSIDE_SECRET)
    const confinement = await bench.confine({ masked: [join(bench.root, '.env'), join(bench.root, '.ssh')] })
    const { stdout } = await bench.sh(
      'cat .env .ssh/id; cat .ssh/*; rm -f .env; mv .ssh away; mv .env away; cp -r . /tmp/copy; grep -r only-outside /tmp/copy; cat away; cat away/id',
      { confinement },
    )
    const isThere = readFileSync(join(bench.root, '.ssh/id'), 'utf8') === OUTSIDE_SECRET
    return leak(stdout, OUTSIDE_SECRET) ?? (isThere ? null : 'what was masked is gone')
  },
  'hold the call by a child that keeps its pipes': async ({ sh }) => {
    const startedMs = performance.now()
    const seconds = oddSeconds()
    const { stdout } = await sh(`(setsid sleep ${seconds} &) ; sleep ${seconds} & echo done`)
    if (stdout !== 'done\n') return stdout
    if (findByCommandLine(seconds).length > 0) return 'a child is left'
    return performance.now() - startedMs < PATIENCE_MS / 2 ? null : 'the call was held'
  },
  'read what somebody types or sends to us': async ({ sh }) => {
    const { stdout } = await sh(
      'cat; read line; echo "[$line]"; cat /dev/stdin /proc/self/fd/0; cat /proc/1/fd/0',
    )
    return stdout === '[]\n' ? null : stdout.slice(0, 200)
  },
  'fill the memory of its keeper with output': async ({ sh }) => {
    const bytes = 64 * 1024 ** 2
    const before = process.memoryUsage().rss
    const end = await sh(`head -c ${bytes} /dev/zero; head -c ${bytes} /dev/zero >&2`, {
      keepBytes: 10_000,
    })
    if (end.stdoutBytes !== bytes || end.stderrBytes !== bytes) return 'some of it is missing'
    if (end.stdout.length > 10_000) return 'more was kept than was to be'
    return process.memoryUsage().rss - before < bytes ? null : 'the memory grew with it'
  },
  'start in a folder outside': async ({ sh, outside }) => {
    try {
      const { stdout } = await sh('cat secret.txt; pwd', { cwd: outside })
      return leak(stdout, OUTSIDE_SECRET, outside)
    } catch {
      return null
    }
  },
  'find the pipes and files of its keeper': async ({ sh }) => {
    const { stdout } = await sh('ls -a /tmp /run /var/tmp /dev/shm 2>/dev/null')
    return leak(stdout, 'tongs-run', 'tongs-probe')
  },
  'reach sockets of this machine with network granted': async (bench) => {
    const confinement = await bench.confine({ hasNetwork: true })
    const before = bench.visitors()
    const code = `print "began"; socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(${JSON.stringify(bench.socket)})); socket(T, AF_UNIX, SOCK_STREAM, 0) && connect(T, pack("S a*", AF_UNIX, "\\0${bench.abstractName}"))`
    const { stdout } = await bench.run(['perl', '-MSocket', '-e', code], { confinement })
    if (stdout !== 'began') return `it did not run: ${stdout}`
    return (await cameSince(bench, before)) ? 'a connection came through' : null
  },
  'read and write outside with network granted': async (bench) => {
    const confinement = await bench.confine({ hasNetwork: true })
    const { outside } = bench
    const there = shellWord(outside)
    const { stdout } = await bench.sh(
      `cat ${there}/secret.txt /etc/shadow /proc/1/root${there}/secret.txt; echo x >${there}/new; mount -o remount,rw /usr && echo OPEN; ip link add x type dummy && echo OPEN`,
      { confinement },
    )
    return (
      leak(stdout, OUTSIDE_SECRET, 'root:', 'OPEN') ??
      (existsSync(join(outside, 'new')) ? 'it wrote outside' : null)
    )
  },
  'get beyond a path that was granted': async (bench) => {
    const lent = join(bench.outside, 'lent')
    mkdirSync(lent, { recursive: true })
    const confinement = await bench.confine({ write: [lent] })
    const [way, up] = [lent, bench.outside].map(shellWord)
    const { stdout } = await bench.sh(
      `cat ${way}/../secret.txt; ln -s ${up} ${way}/up; cat ${way}/up/secret.txt; echo x >${way}/../new; mv ${way} ${up}/moved`,
      { confinement },
    )
    const isThere = existsSync(lent) && !existsSync(join(bench.outside, 'new'))
    return leak(stdout, OUTSIDE_SECRET) ?? (isThere ? null : 'something outside has changed')
  },
  'use a descriptor that was left open': async ({ sh }) => {
    const end = await sh('ls /proc/self/fd | tr "\\n" " "')
    return end.stdout === '0 1 2 3 ' ? null : JSON.stringify(end)
  },
}

/** Adds the things to be attacked to a bench. */
export async function openAttackBench(bench: CommandBench, variable: string): Promise<AttackBench> {
  let visitors = 0
  const listen = (where: { port: number; host: string } | { path: string }): Promise<Server> =>
    new Promise((done, fail) => {
      const server = createServer((socket) => {
        visitors += 1
        socket.destroy()
      })
      server.once('error', fail)
      server.listen(where, () => done(server))
    })
  const socket = join(bench.root, 'socket')
  const abstractName = `tongs-${process.pid}`
  const network = await listen({ host: '127.0.0.1', port: 0 })
  const servers = [network, await listen({ path: socket }), await listen({ path: `\0${abstractName}` })]
  const mark = oddSeconds()
  const sleeper = spawn('sleep', [mark], { stdio: 'ignore' })
  return {
    ...bench,
    port: (network.address() as AddressInfo).port,
    socket,
    abstractName,
    visitors: () => visitors,
    victim: { pid: sleeper.pid ?? 0, mark },
    variable,
    close: async () => {
      sleeper.kill('SIGKILL')
      for (const server of servers) server.close()
      await bench.close()
    },
  }
}
