import { goalsOf } from './goals.ts'
import { peerRecordings, RECORDINGS, TASKS } from './places.ts'
import { readRecording } from './recording.ts'
import type { Recording } from './recording.ts'
import { cellsOf, markdownTable, ratioOf } from './table.ts'
import type { Row } from './table.ts'
import { readTasks } from './task.ts'

/** `docs/eval.md`, with what the recordings say. */
export function renderEvalPage(): string {
  const tasks = readTasks(TASKS)
  const names = tasks.map(({ name }) => name)
  const recordings = names.flatMap((name) => readRecording(RECORDINGS, name, 'tongs') ?? [])
  const rows = recordings.map(({ task, outcome }): Row => ({ task, outcome }))
  const peers = peerRecordings(names, 'tongs')
  const pi = peers.get('pi')
  const goals = goalsOf(rows, pi === undefined ? null : ratioOf(rows, pi))
  return `<!-- Printed by npm run docs. -->
# Evaluation

\`\`\`sh
npm run eval                                        # replays the recordings: no key, no network for the model
npm run eval -- --only rename                       # one task; may be repeated
npm run eval -- --model anthropic/NAME              # a real model, with the key from the environment
npm run eval -- --model anthropic/NAME --runner pi  # the same work by a peer, which is installed for it
\`\`\`

Each task is a project, a prompt, and a check that the agent does not see. \`npm run eval\` has the agent do the task in a folder of its own, with a home of its own, then runs the check, and prints what it needed. The exit code is 1 if a task is not solved or could not be tried.

${markdownTable([['Task', 'What it is'], ...tasks.map(({ name, title }) => [`\`${name}\``, title])])}

## What was recorded

${markdownTable(cellsOf(rows, peers))}

Tokens are bytes of the requests and answers divided by four, the same count for every runner. The last columns are our tokens in, divided by those of the peer for the tasks that both have solved. Own seconds are those in which no model was waited for; they depend on the machine.

${markdownTable([['Goal', 'Recorded', 'Limit', 'Met'], ...goals.map(({ name, value, limit, met }) => [name, value, limit, met ? 'yes' : 'no'])])}

| Runner | Version | Tasks | Requests | Tokens in | Calls | Failed |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
${[recordings, ...peers.values().map((byTask) => [...byTask.values()])].map(runnerRow).join('\n')}

A failed call is one that did not do what it was asked; a command or a test that ran and failed is not among them, nor a call that was skipped because an edit before it was refused. A question is a call that a person would have been asked about.

### How far to trust these figures

- **Language models answered that saw nothing but the requests:** neither the tasks' files nor their checks, nor the projects. One answered for Tongs, another one for pi, each task once, in one take. A third one answered \`feature-interrupted\` for Tongs, because the first had left a request unanswered for minutes; it was done before the second interruption came. They knew most of the packages from their training, and saw the table of ratios after each task.
- **Six tasks were recorded by those who wrote them:** \`background-command\`, \`delegated-survey\`, \`own-command\`, \`picture\`, \`skill\` and \`web-page\`. They answered from what the requests showed, but knew the projects, the pitfalls and the checks. So these six show that a model can do such work with what it is told, in how many requests and for how many tokens at best; they do not show that one would find its way by itself, and no peer did them. The prompt of \`delegated-survey\` asks for the delegation. Both pictures of \`picture\` were looked at as the requests contained them, but by a model that had drawn them. Its chart and the notes of \`own-command\` are small so that the first request stays within its limit.
- **opencode is compared too favourably:** its answers are of models that knew the tasks, seven of one that had written them, five of the one that had answered for pi before.
- **In python,** one patch was refused because a line that begins with a dot was not doubled, and the model sent 190 lines again. That is most of the difference to pi in this task.
- **The tasks are short,** three to eight requests, so the fixed part of a request weighs more than in long sessions, and compaction plays no part.
- **opencode** had ripgrep on its path, which it could not fetch by itself; a first try without it was dropped.
- **No real provider was used.** Own seconds were measured on a busy machine.

## Recordings

A recording holds the answers of a model, and how many bytes it was sent for each: one for each task and runner, in \`eval/recordings\`. A replay gives the same answers in the same order to the runner as it is now. If a tool answers differently, the recorded call that follows fails, or the check does; if more requests come than were recorded, they get an error. So a replay shows that the work can still be done, and what it costs now; it cannot show that a model would act differently.

\`\`\`sh
npm run eval -- --record                                                  # stores what the replay needed as the new figures
npm run eval -- --record --model compatible/NAME --base-url URL           # new answers from a server with OpenAI's API
npm run eval -- --record --only rename --model hand:/tmp/answers          # new answers from files
\`\`\`

With \`hand:FOLDER\` each request is written to \`FOLDER/TASK.RUNNER.NNN.request.json\`, and the answer is read from \`….answer.json\` beside it, such as \`{"text": "…", "calls": [{"name": "read_file", "args": {"path": "a.txt"}}]}\`. Only solved tasks are recorded.

With a provider, requests go through a server on this machine that counts them and passes them on; keys are taken from the environment and not stored.

## Add a task

1. Make \`eval/tasks/NAME\` with \`prompt.md\`, \`task.json\` and \`check.ts\`. The project is what lies in \`files\`, or a package from npm with its version and hash (\`npm\` in \`task.json\`), without what \`leaveOut\` names and with the changes of \`plants\`. Packages are kept in the cache folder; only small files whose license allows it belong into \`files\`.
2. \`check.ts\` gets the folder as its argument and ends with 0 if the work was done. It has to fail on the untouched project.
3. Pages in \`web\` are served on this machine while the task is done; \`{web}\` in the prompt is their address. What is in \`home\` lies in the home of the runner, such as a configuration, commands or skills. Recorded answers have \`{web}\`, \`{home}\`, \`{root}\` and \`{handle 1}\` (the first command in the background) for what differs from run to run.
4. \`needs\` names programs without which the task cannot be done; \`startIn\` is the folder of the project that the user is in; \`interruptions\` stop the runner at a request with a signal and go on with another prompt.
5. Record it, and run \`npm run docs\`.

See also: [why recordings](decisions/0036-eval-recordings.md), [performance](performance.md).
`
}

function runnerRow(recordings: readonly Recording[]): string {
  const total = (of: (recording: Recording) => number) =>
    recordings.reduce((so, recording) => so + of(recording), 0)
  const versions = [...new Set(recordings.map(({ version }) => version))]
  const cells = [
    recordings[0]?.runner ?? '',
    versions.join(', '),
    recordings.length,
    total(({ outcome }) => outcome.requests),
    Math.ceil(total(({ outcome }) => outcome.bytesIn) / 4),
    total(({ outcome }) => outcome.calls),
    total(({ outcome }) => outcome.failed),
  ]
  return `| ${cells.join(' | ')} |`
}
