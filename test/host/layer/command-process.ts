/** Runs commands on layers, as root or as somebody else, and prints what came of each as JSON. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Layer } from '../../../src/core/layer.ts'
import { discardLayer } from '../../../src/host/layer/open-layer.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { describeTree } from './describe-tree.ts'
import { byWords, openLayerBench, SECRET } from './layer-bench.ts'
import type { LayerBench } from './layer-bench.ts'

if (process.argv[2] === 'ordinary') becomeOrdinary()
if (process.argv[2] === 'root without native code') process.env['TONGS_NATIVE'] = 'off'

type Story = (bench: LayerBench) => Promise<unknown>

/** Git with a denied file that is as young as the index, of which git would read the content again. */
async function useGit(
  { root, write, onLayer }: LayerBench,
  newLayer: () => Layer | Promise<Layer>,
): Promise<unknown> {
  write('.env', SECRET)
  write('code')
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      encoding: 'utf8',
    })
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'first'],
  ])
    git(...args)
  const { mtimeMs } = lstatSync(join(root, '.env'))
  utimesSync(join(root, '.git/index'), mtimeMs / 1000, mtimeMs / 1000)
  const who = 'git -c user.name=a -c user.email=a@b'
  const line = `git status --porcelain; echo x >>code; git add -A && ${who} commit -qam second && git show --name-only --format=%s; git config x.y z && git config x.y; cat .env 2>/dev/null`
  const layer = await newLayer()
  const { stdout, stderr } = await onLayer(layer, line)
  const again = await onLayer(
    layer,
    `echo y >>code; ${who} commit -qam third && ${who} stash; git status --porcelain`,
  )
  return { stdout, stderr, again: [again.stdout, again.stderr], log: git('log', '--format=%s').trim() }
}

const stories: Readonly<Record<string, Story>> = {
  'keeps every change to the layer': async ({ root, write, newLayer, onLayer }) => {
    for (const path of ['kept', 'changed', 'removed', 'folder/inside', 'gone/deep/file']) write(path)
    const before = JSON.stringify([...describeTree(root)])
    const layer = newLayer()
    const line =
      'echo new >created; echo more >>changed; rm removed; mv folder moved; rm -r gone; chmod 600 kept'
    const first = await onLayer(layer, line)
    const upper = join(layer.parts[0]?.folder ?? '', 'upper')
    return {
      exit: first.exitCode,
      isUntouched: JSON.stringify([...describeTree(root)]) === before,
      written: readFileSync(join(upper, 'created'), 'utf8'),
      isMarked: lstatSync(join(upper, 'removed')).isCharacterDevice(),
      next: (await onLayer(layer, 'cat created moved/inside; ls')).stdout,
    }
  },
  'hides denied files, also under a new name of their folder': async ({ write, newLayer, onLayer }) => {
    write('conf/.env', SECRET)
    write('secrets/key', SECRET)
    const layer = newLayer()
    const look = 'cat */.env */*/.env secrets/* 2>/dev/null; ls -l conf/.env | cut -c1-10'
    const first = await onLayer(
      layer,
      `${look}; chmod 644 conf/.env 2>/dev/null; mv conf elsewhere 2>/dev/null; ${look}`,
    )
    const second = await onLayer(layer, `${look}; cat elsewhere/.env 2>/dev/null`)
    return [first.stdout, second.stdout].map((text) => text.includes(SECRET))
  },
  'hides what a denied link led to, also after the link or its folder is gone': async (bench) => {
    const { root, write, newLayer, onLayer } = bench
    const shown: boolean[] = []
    for (const [at, line] of ['rm conf/.env.x', 'mv conf c2', 'mv conf c2; mv far c3', 'true'].entries()) {
      write(`far/prod${at}`, SECRET)
      write('conf/other')
      symlinkSync(`../far/prod${at}`, join(root, 'conf/.env.x'))
      const layer = newLayer()
      await onLayer(layer, line)
      const { stdout } = await onLayer(layer, 'cat far/* c3/* conf/.env.x c2/.env.x 2>/dev/null; echo ran')
      shown.push(stdout.includes(SECRET), stdout.includes('ran'))
      execFileSync('rm', ['-r', join(root, 'conf'), join(root, 'far')])
    }
    return shown
  },
  'hides what it cannot list, and names that are not text': async ({ root, write, newLayer, onLayer }) => {
    write('locked/.env', SECRET)
    chmodSync(join(root, 'locked'), 0o311)
    const odd = Buffer.concat([Buffer.from(`${root}/odd`), Buffer.of(0xff)])
    execFileSync('mkdir', ['-p', root])
    writeFileSync(odd, 'odd')
    writeFileSync(Buffer.concat([Buffer.from(`${root}/.env.`), Buffer.of(0xfe)]), SECRET)
    const line = 'chmod 755 locked 2>/dev/null; cat locked/.env .env.* 2>/dev/null; cat odd*'
    const { stdout } = await onLayer(newLayer(), line)
    chmodSync(join(root, 'locked'), 0o755)
    return stdout
  },
  'leaves a tracked denied file alone when git is used': (bench) => useGit(bench, bench.newLayer),
  'does so on a copy too': (bench) => useGit(bench, bench.newCopy),
  'writes through where that was asked for': async ({ root, write, newLayer, onLayer }) => {
    write('cache/old')
    write('cache/.env', SECRET)
    const passthrough = [join(root, 'cache')]
    const masked = [join(root, 'cache/.env')]
    const line = 'echo 1 >cache/new; echo 1 >other; cat cache/old cache/.env 2>/dev/null'
    const { stdout } = await onLayer(newLayer(), line, { passthrough, masked })
    return { stdout, isThrough: existsSync(join(root, 'cache/new')), isKept: existsSync(join(root, 'other')) }
  },
  'keeps its variables from what starts it': async () => {
    // In the place of the programs that set up the sandbox, one that shows which variables they get.
    const shown = await openLayerBench((launch) => ({
      ...byWords(launch),
      argv: ['/bin/sh', '-c', `echo ready >&3; env`],
    }))
    const plain = await openLayerBench()
    const env = { PATH: '/usr/bin:/bin', TRAP: 'sprung', LC_ALL: 'xx', GCONV_PATH: '/evil' }
    const isGiven = async (bench: LayerBench, isLayered: boolean): Promise<boolean> => {
      const layer = isLayered ? bench.newLayer() : null
      const { stdout } = await bench.onLayer(layer, 'env', {}, env)
      return stdout.includes('TRAP=sprung') && stdout.includes('GCONV_PATH=/evil')
    }
    try {
      return {
        outside: [await isGiven(shown, true), await isGiven(shown, false)],
        inside: [await isGiven(plain, true), await isGiven(plain, false)],
      }
    } finally {
      await closeBench(shown)
      await closeBench(plain)
    }
  },
  'drops a layer whatever the command left there': async ({ place, newLayer, onLayer }) => {
    const layer = newLayer()
    await onLayer(layer, 'mkdir -p a/b && touch a/b/c && ln -s / out && chmod 0 a/b && chmod 555 a')
    await discardLayer(layer)
    return readdirSync(place)
  },
}

async function closeBench({ root, place, close }: LayerBench): Promise<void> {
  for (const folder of [root, place]) execFileSync('chmod', ['-R', 'u+rwx', folder])
  await close()
}

const outcomes: Record<string, unknown> = {}
for (const [name, story] of Object.entries(stories)) {
  const bench = await openLayerBench()
  try {
    outcomes[name] = await story(bench)
  } catch (error) {
    outcomes[name] = `it broke: ${String(error)}`
  } finally {
    await closeBench(bench)
  }
}
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), outcomes }))
