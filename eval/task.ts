import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unpackPackage } from './unpack-package.ts'
import type { NpmPackage } from './unpack-package.ts'

/** Stops a runner from outside and goes on with another prompt. */
export interface Interruption {
  /** The number of the request at whose arrival the runner is stopped, counted from 1 over the whole task. */
  readonly request: number
  readonly signal: 'SIGINT' | 'SIGKILL'
  /** What the user says next. */
  readonly then: string
}

interface Plant {
  readonly file: string
  readonly old: string
  readonly new: string
}

/** `task.json` of a task. */
interface TaskFile {
  readonly title: string
  /** The package that the project is made of; without one, `files` is all of it. */
  readonly npm?: NpmPackage
  /** Files of the package that are left out, as globs. */
  readonly leaveOut?: readonly string[]
  /** Changes to the package, such as bugs. */
  readonly plants?: readonly Plant[]
  /** Programs without which neither the work nor the check can be done. */
  readonly needs?: readonly string[]
  /** The folder of the project that the user is in; without one, it is the project itself. */
  readonly startIn?: string
  readonly interruptions?: readonly Interruption[]
}

/** Work to be done in a project, and a program that tells whether it was done. */
export interface Task extends TaskFile {
  readonly name: string
  readonly folder: string
  /** What the user says; `{web}` stands for the address of the pages. */
  readonly prompt: string
  /** The folder with pages that are served while the task is done; null if there are none. */
  readonly pages: string | null
  /** The folder with files for the home of the user; null if there are none. */
  readonly home: string | null
}

/** What a check found. */
export interface Verdict {
  readonly solved: boolean
  readonly said: string
}

const CHECK_TIMEOUT_MS = 120_000

/** The tasks below a folder, by name. */
export function readTasks(folder: string): readonly Task[] {
  return globSync('*/task.json', { cwd: folder })
    .map(dirname)
    .toSorted()
    .map((name) => readTask(join(folder, name), name))
}

function readTask(folder: string, name: string): Task {
  const file = JSON.parse(readFileSync(join(folder, 'task.json'), 'utf8')) as TaskFile
  const inside = (part: string) => (existsSync(join(folder, part)) ? join(folder, part) : null)
  const prompt = readFileSync(join(folder, 'prompt.md'), 'utf8').trim()
  return { ...file, name, folder, prompt, pages: inside('web'), home: inside('home') }
}

/** The programs that a task needs and that are not installed here. */
export function findMissingPrograms({ needs = [] }: Task): readonly string[] {
  return needs.filter((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0)
}

/** Makes the project of a task, as a git repository with one commit. */
export function makeProject(task: Task, root: string): void {
  mkdirSync(root, { recursive: true })
  if (task.npm !== undefined) unpackPackage(task.npm, root)
  for (const file of globSync([...(task.leaveOut ?? [])], { cwd: root })) {
    rmSync(join(root, file), { recursive: true, force: true })
  }
  for (const plant of task.plants ?? []) plantInto(root, plant)
  if (existsSync(join(task.folder, 'files'))) cpSync(join(task.folder, 'files'), root, { recursive: true })
  const author = ['-c', 'user.name=eval', '-c', 'user.email=eval@localhost', '-c', 'core.autocrlf=false']
  runGit(root, ['init', '--quiet', '--initial-branch=main'])
  runGit(root, [...author, 'add', '--all', '--force'])
  runGit(root, [...author, 'commit', '--quiet', '--no-gpg-sign', '--message', 'import'])
}

function plantInto(root: string, { file, old, new: replacement }: Plant): void {
  const text = readFileSync(join(root, file), 'utf8')
  if (text.split(old).length !== 2) throw new Error(`${file} does not have this once: ${old}`)
  writeFileSync(
    join(root, file),
    text.replace(old, () => replacement),
  )
}

function runGit(cwd: string, args: readonly string[]): void {
  const end = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (end.status !== 0) throw new Error(`git ${args.at(-1)} failed: ${end.stderr}`)
}

/** Runs the hidden check of a task on the project as the runner left it. */
export function checkProject(task: Task, root: string): Verdict {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(task.folder, 'check.ts'), root], {
    cwd: task.folder,
    encoding: 'utf8',
    timeout: CHECK_TIMEOUT_MS,
  })
  const said = `${stdout}${stderr}`.split('\n').find((line) => /\bError\b|: /.test(line)) ?? ''
  return { solved: status === 0, said: said.trim() }
}
