/** What a job object holds its processes to. */
export interface JobLimits {
  readonly memoryBytes?: number
  readonly processes?: number
}

const KILL_ON_CLOSE = 0x2000
const ACTIVE_PROCESSES = 0x0008
const JOB_MEMORY = 0x0200

/**
 * A command line for Windows that puts itself into a job object and then runs a command in it: when the process that
 * holds the job ends, however it does, the system ends everything in the job. Written from the documentation and not run
 * by our tests, which need Windows. It bounds and ends processes; it does not keep them from files.
 */
export function buildJobCommand(argv: readonly string[], limits: JobLimits): readonly string[] {
  const flags =
    KILL_ON_CLOSE |
    (limits.processes === undefined ? 0 : ACTIVE_PROCESSES) |
    (limits.memoryBytes === undefined ? 0 : JOB_MEMORY)
  const [program = '', ...args] = argv.map(quote)
  const script = [
    `Add-Type -TypeDefinition @'\n${CODE}\n'@`,
    `[Job]::Enter(${flags}, ${limits.processes ?? 0}, ${limits.memoryBytes ?? 0})`,
    `& ${program} ${args.join(' ')}`,
    'exit $LASTEXITCODE',
  ].join('\n')
  return ['powershell.exe', '-NoProfile', '-NonInteractive', '-EncodedCommand', encode(script)]
}

const CODE = `using System;
using System.Runtime.InteropServices;
public static class Job {
  [StructLayout(LayoutKind.Sequential)] struct Limits {
    public long ProcessTime, JobTime; public uint Flags; public UIntPtr MinSet, MaxSet; public uint Processes;
    public UIntPtr Affinity; public uint Priority, Scheduling; public ulong R, W, O, RB, WB, OB;
    public UIntPtr ProcessMemory, JobMemory, PeakProcess, PeakJob;
  }
  [DllImport("kernel32.dll", SetLastError = true)] static extern IntPtr CreateJobObject(IntPtr security, string name);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool SetInformationJobObject(IntPtr job, int kind, ref Limits limits, int size);
  [DllImport("kernel32.dll", SetLastError = true)] static extern bool AssignProcessToJobObject(IntPtr job, IntPtr process);
  [DllImport("kernel32.dll")] static extern IntPtr GetCurrentProcess();
  public static void Enter(uint flags, uint processes, ulong memory) {
    var job = CreateJobObject(IntPtr.Zero, null);
    var limits = new Limits { Flags = flags, Processes = processes, JobMemory = new UIntPtr(memory) };
    if (job == IntPtr.Zero || !SetInformationJobObject(job, 9, ref limits, Marshal.SizeOf(limits)) || !AssignProcessToJobObject(job, GetCurrentProcess()))
      throw new System.ComponentModel.Win32Exception(Marshal.GetLastWin32Error());
  }
}`

/** In single quotes nothing is special but the quote, which is doubled; curly ones count as quotes too. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201A\u201B]/g, '$&$&')}'`
}

function encode(script: string): string {
  return Buffer.from(script, 'utf16le').toString('base64')
}
