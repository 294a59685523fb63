import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** A command or a group of them, as a shell completes it. */
interface CompletedCommand {
  /** Words after the program's name: `holds list`; '' for the program itself. */
  readonly path: string;
  readonly about: string;
  readonly commands: readonly string[];
  readonly options: readonly Pick<Option, 'long' | 'short' | 'description'>[];
}

/** What a shell reads to complete commands and options; made of the very commands that there are. */
export function buildCompletion(program: Command, shell: CompletedShell): string {
  const commands = listCompleted(program, '');
  if (shell === 'fish') return completeFish(commands);
  return shell === 'bash' ? completeBash(commands) : completeZsh(commands);
}

function listCompleted(command: Command, path: string): readonly CompletedCommand[] {
  const own: CompletedCommand = {
    path,
    about: command.description(),
    commands: command.commands.map((one) => one.name()),
    options: [...command.options, { long: '--help', short: '-h', description: 'display help' }],
  };
  const below = command.commands.flatMap((one) => listCompleted(one, `${path} ${one.name()}`.trim()));
  return [own, ...below];
}

function wordsOf({ commands, options }: CompletedCommand): string {
  return [...commands, ...options.map(({ long }) => long).filter((long) => long != null)].join(' ');
}

/** The longest path that the words typed so far name, then its words. */
function completeBash(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const words = commands.map((command) => `    "${command.path}") words="${wordsOf(command)}" ;;`);
  return `# talent-sync completion bash > /etc/bash_completion.d/talent-sync
_talent_sync() {
  local path="" words="" word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${known.join('|')}) path="$next" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _talent_sync talent-sync
`;
}

function completeZsh(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const words = commands.map((command) => `    "${command.path}") compadd -- ${wordsOf(command)} ;;`);
  return `#compdef talent-sync
# talent-sync completion zsh > "\${fpath[1]}/_talent-sync"
_talent_sync() {
  local command="" word next
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${command:+$command }$word"
    case "$next" in
      ${known.join('|')}) command="$next" ;;
    esac
  done
  case "$command" in
${words.join('\n')}
  esac
  _files
}
if [ "$funcstack[1]" = "_talent-sync" ]; then _talent_sync "$@"; else compdef _talent_sync talent-sync; fi
`;
}

function completeFish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, about, options }) => {
    const words = path.split(' ').filter((word) => word !== '');
    const name = words.at(-1);
    const before = words.slice(0, -1).map((word) => `__fish_seen_subcommand_from ${word}`);
    const offered = before.length === 0 ? '__fish_use_subcommand' : before.join('; and ');
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ') || '__fish_use_subcommand';
    return [
      ...(name === undefined ? [] : [`complete -c talent-sync -f -n '${offered}' -a ${name} -d ${quote(about)}`]),
      ...options.flatMap(({ long, short, description }) => {
        const letter = short == null ? '' : ` -s ${short.replace('-', '')}`;
        return long == null
          ? []
          : [`complete -c talent-sync -n '${seen}'${letter} -l ${long.replace('--', '')} -d ${quote(description)}`];
      }),
    ];
  });
  return `# talent-sync completion fish > ~/.config/fish/completions/talent-sync.fish\n${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (one) => `\\${one}`)}'`;
}
