import { execFileSync } from 'node:child_process'

/** Numbers from 0 to below `limit`, the same for the same seed. */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const FOLDERS = ['a', 'b', 'a/x', 'a/y', 'b/x', 'a/x/deep', 'c']
const NAMES = ['f', 'g', 'h', "odd name's", 'l']
const MODES = ['644', '600', '755', '700']

/** Fills a workspace: nested folders, files of several modes, links, odd names, a hard link. */
export function seedWorkspace(root: string, seed: number): void {
  const random = randomNumbers(seed)
  const lines = ['mkdir -p a/x/deep a/y b/x']
  for (const folder of FOLDERS.slice(0, -1)) {
    for (const name of NAMES) {
      if (random(3) === 0) continue
      const path = quote(`${folder}/${name}`)
      if (name === 'l') lines.push(`ln -s ../f ${path}`)
      else lines.push(`echo ${random(5)} >${path}`, `chmod ${MODES[random(4)]} ${path}`)
    }
  }
  lines.push('mkdir empty', 'echo 1 >"$(printf \'not-\\377-utf8\')"')
  execFileSync('sh', ['-c', lines.join('\n')], { cwd: root })
}

/** Lines of shell that change a workspace in many ways; some fail, as those of real commands do. */
export function randomScript(seed: number): string {
  const random = randomNumbers(seed + 7)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const folder = (): string => quote(pick(FOLDERS))
  const file = (): string => quote(`${pick(FOLDERS)}/${pick(NAMES)}`)
  const ways: readonly (() => string)[] = [
    () => `echo ${random(5)} >${file()}`,
    () => `echo more >>${file()}`,
    () => `rm -f ${file()}`,
    () => `rm -rf ${folder()}`,
    () => `mkdir -p ${folder()}`,
    () => `rm -rf ${folder()} && mkdir -p ${folder()}`,
    () => `mv ${file()} ${file()}`,
    () => `mv -T ${folder()} ${folder()}2`,
    () => `mv -T ${folder()}2 ${folder()}`,
    () => `perl -e 'rename $ARGV[0], $ARGV[1]' ${folder()} ${folder()}`,
    () => `perl -e 'rename $ARGV[0], $ARGV[1]' ${folder()} new-${random(3)}`,
    () => `ln -sfn target-${random(3)} ${file()}`,
    () => `rm -rf ${folder()}; echo file >${folder()}`,
    () => `rm -f ${file()}; mkdir -p ${file()}; echo 1 >${file()}/inside`,
    () => `chmod ${pick(MODES)} ${file()}`,
    () => `chmod ${pick(['755', '700', '750'])} ${folder()}`,
    () => `touch ${file()}`,
    () => `cp -a ${folder()} copy-${random(3)}`,
    () => `ln -f ${file()} ${file()}`,
    () => `rmdir empty; mkdir -p empty/full; echo 1 >empty/full/x`,
    () => `mv "$(printf 'not-\\377-utf8')" ${file()}`,
    () => `echo 2 >"$(printf 'also-\\376')"`,
  ]
  return Array.from({ length: 1 + random(14) }, () => pick(ways)()).join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
