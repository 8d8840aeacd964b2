// The plugin that opencode loads from a project: it asks `assay hook opencode` before every tool.

/** Returns the plugin's source. `words` start the hook. */
export const renderPlugin = (words: readonly string[]): string => `\
// Asks Assay before opencode runs a tool. Written by \`assay init\`. Whatever goes wrong, the tool does not run.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))
const [command, ...args] = ${JSON.stringify(words)}
const LIMIT_MS = 60_000

/** Runs the hook with an event, and returns its answer. */
function ask(event) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: project, stdio: ['pipe', 'pipe', 'pipe'], timeout: LIMIT_MS })
    let out = ''
    let problem = ''
    child.stdout.on('data', (data) => (out += data))
    child.stderr.on('data', (data) => (problem += data))
    child.on('error', reject)
    child.stdin.on('error', () => undefined)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(problem.trim() || 'Assay: the hook failed. Nothing has run.'))
      try {
        resolve(JSON.parse(out))
      } catch {
        reject(new Error('Assay: the hook gave no answer. Nothing has run.'))
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

/** The names of the MCP servers: opencode puts each before the names of its tools. */
let servers = []

export const AssayPlugin = async ({ directory }) => ({
  config: async ({ mcp }) => {
    servers = Object.keys(mcp ?? {})
  },
  'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
    const event = { event: 'tool.execute.before', tool, sessionID, callID, directory, servers, args: output.args }
    const answer = await ask(event)
    if (answer.allow !== true) throw new Error(answer.reason ?? 'Assay refused it. Nothing has run.')
    if (answer.args !== undefined) output.args = answer.args
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, { output }) => {
    const event = { event: 'tool.execute.after', tool, sessionID, callID, directory, servers, args, output }
    await ask(event).catch((error) => console.error(error.message))
  },
})
`;
