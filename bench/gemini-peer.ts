import { tmpdir } from 'node:os'
import { loadPeer, loadPeerFile } from './load-peer.ts'

const PACKAGE = '@google/gemini-cli-core'

interface Config {
  readonly getMessageBus: () => unknown
}

interface Core {
  readonly Kind: { readonly Read: unknown }
  readonly BaseToolInvocation: new (...parts: readonly unknown[]) => {
    readonly params: { readonly a: number; readonly b: number }
  }
  readonly BaseDeclarativeTool: new (...parts: readonly unknown[]) => object
  readonly ToolRegistry: new (
    config: Config,
    bus: unknown,
  ) => { readonly registerTool: (tool: object) => void }
}

interface SchedulerModule {
  readonly Scheduler: new (options: object) => {
    readonly schedule: (
      requests: readonly object[],
      signal: AbortSignal,
    ) => Promise<readonly { readonly status: string }[]>
  }
}

const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
}

/** One batch of calls of the trivial tool through the scheduler of Gemini CLI, with a policy that allows all. */
export async function openGeminiPeer(): Promise<(calls: number) => Promise<number>> {
  const core = await loadPeer<Core>(PACKAGE)
  const { makeFakeConfig } = await loadPeerFile<{ makeFakeConfig: (parts: object) => Config }>(
    PACKAGE,
    'dist/src/test-utils/config.js',
  )
  const { Scheduler } = await loadPeerFile<SchedulerModule>(PACKAGE, 'dist/src/scheduler/scheduler.js')
  const config = makeFakeConfig({
    approvalMode: 'yolo',
    interactive: false,
    targetDir: tmpdir(),
    cwd: tmpdir(),
    policyEngineConfig: { rules: [], defaultDecision: 'allow' },
  })
  const bus = config.getMessageBus()
  const toolRegistry = new core.ToolRegistry(config, bus)
  toolRegistry.registerTool(trivialTool(core, bus))
  const context = { config, toolRegistry, messageBus: bus, promptId: 'bench' }
  const scheduler = new Scheduler({
    context,
    messageBus: bus,
    getPreferredEditor: () => undefined,
    schedulerId: 'root',
  })
  let count = 0
  return async (calls) => {
    const requests = Array.from({ length: calls }, () => ({
      callId: `c${count++}`,
      name: 'trivial',
      args: { a: 1, b: 2 },
      isClientInitiated: false,
      prompt_id: 'bench',
    }))
    const done = await quietly(() => scheduler.schedule(requests, new AbortController().signal))
    return done.filter(({ status }) => status === 'success').length
  }
}

function trivialTool(core: Core, bus: unknown): object {
  class Invocation extends core.BaseToolInvocation {
    getDescription(): string {
      return 'adds two numbers'
    }

    async execute(): Promise<object> {
      const { a, b } = this.params
      return { llmContent: JSON.stringify({ sum: a + b }), returnDisplay: '' }
    }
  }
  class Trivial extends core.BaseDeclarativeTool {
    constructor() {
      super('trivial', 'Trivial', 'Adds two numbers', core.Kind.Read, SCHEMA, bus)
    }

    createInvocation(params: unknown): object {
      return new Invocation(params, bus, 'trivial', 'Trivial')
    }
  }
  return new Trivial()
}

/** It writes every decision to the debug console, which would be measured with it. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { debug } = console
  console.debug = () => undefined
  try {
    return await work()
  } finally {
    console.debug = debug
  }
}
