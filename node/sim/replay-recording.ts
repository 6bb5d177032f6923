/**
 * `ofs-sim replay FILE --identity KEYFILE`: what a production node recorded of its life goes through the core again,
 * and comes to the same hash after each input, or the first one is named after which it does not. Source:
 * DESIGN section 6.
 */
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { loadKeyFile } from "../../adapters/libp2p/key-file.ts";
import { BytesDefect } from "../../adapters/recording/byte-source.ts";
import type { RecordedInput, Recording } from "../../adapters/recording/reader.ts";
import { openRecording } from "../../adapters/recording/reader.ts";
import { createChain } from "../../adapters/recording/recorder.ts";
import type { NodeConfiguration, Player } from "../../core/index.ts";
import { marketplace, openPlayer, publicKeyText } from "../../core/index.ts";
import type { Life } from "./node-life.ts";
import { openLife } from "./node-life.ts";
import { writeOut } from "./out-file.ts";
import { travelPageScript } from "./page-script.ts";
import { recordingBeside } from "./recorded-run.ts";
import { writeReport } from "./report-page.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

/** What a recording came to when it was played. */
interface Played {
  readonly inputs: number;
  /** The first input after which the core is not where the node was, and why. */
  readonly differs: { readonly recorded: RecordedInput; readonly why: string } | undefined;
  readonly chain: string;
}

interface Choices {
  readonly json: boolean;
  readonly identity?: string;
}

/** Plays a recording; 1 when it comes to something else. One without inputs proves nothing and is refused. */
export function replayRecording(file: string, choices: Choices, around: Pick<Surroundings, "out">): number {
  const { recording, player } = opened(file, choices);
  return conclude(file, recording, player, play(file, recording, player), choices, around);
}

/** The same, with a page about the node's life. */
export async function reportRecording(
  file: string,
  choices: Choices & { readonly report: string },
  around: Pick<Surroundings, "out">,
): Promise<number> {
  const { recording, player } = opened(file, choices);
  const { report } = choices;
  await writeOut(report, "");
  const life = openLife(recordingBeside(report), recording.configuration);
  try {
    const played = play(file, recording, player, life);
    life.end(file, played.differs?.why);
    await writeReport(report, life.file, await travelPageScript());
    if (!choices.json) around.out(`report: ${report}\n`);
    return conclude(file, recording, player, played, choices, around);
  } finally {
    life.remove();
  }
}

function opened(file: string, { identity }: Choices): { readonly recording: Recording; readonly player: Player } {
  const found = openRecording(file);
  if (!found.ok) throw new UsageError(`${found.error}.`);
  const { value: recording } = found;
  if (recording.redacted) throw new UsageError(`${file} is redacted: it tells what came when, and cannot be played.`);
  return { recording, player: playerOf(file, recording, identity) };
}

/** Says what a recording came to; answers the exit code. */
function conclude(
  file: string,
  recording: Recording,
  player: Player,
  { inputs, differs, chain }: Played,
  choices: Choices,
  around: Pick<Surroundings, "out">,
): number {
  if (inputs === 0 && differs === undefined)
    throw new UsageError(`${file} holds no input${recording.cut() ? " that is whole" : ""}: there is nothing to play.`);
  const roots = player.roots();
  const cut = recording.cut();
  if (choices.json) {
    const first = differs && { number: differs.recorded.input.number, type: differs.recorded.input.type };
    around.out(`${JSON.stringify({ inputs, cut, chain, roots, ...(first && { differs: first }) })}\n`);
    return differs === undefined ? 0 : 1;
  }
  if (differs !== undefined) {
    const { number, type, now } = differs.recorded.input;
    around.out(`DIFFERS after ${inputs} inputs: input ${number}, ${type} at ${now}, ${differs.why}\n`);
    return 1;
  }
  if (cut) around.out("the recording ends in the middle of an input, as that of a process that was killed\n");
  around.out(`OK inputs=${inputs} state=${roots.state} statements=${roots.statements} chain=${chain}\n`);
  return 0;
}

function playerOf(file: string, { configuration }: Recording, identity: string | undefined): Player {
  if (identity === undefined)
    throw new UsageError(`${file} was recorded by a node: --identity <file> says its key, which no recording holds.`);
  const keys = loadKeyFile(identity);
  if (!keys.ok) throw new UsageError(keys.error.reason);
  const { publicKey, secretKey } = keys.value;
  if (publicKeyText(publicKey) !== configuration.publicKey)
    throw new UsageError(`${identity} is not the key of the node that recorded ${file}.`);
  const whole: NodeConfiguration = { ...configuration, secretKey };
  try {
    return openPlayer({ network: marketplace, crypto: openNativeCrypto(), configuration: whole });
  } catch (error) {
    throw new UsageError(
      `${file} was recorded with settings that this software cannot take: ${(error as Error).message}.`,
    );
  }
}

function play(file: string, recording: Recording, player: Player, life?: Life): Played {
  const chain = createChain();
  let inputs = 0;
  try {
    for (const recorded of recording.inputs) {
      const why = partsAt(recorded, player, chain, life);
      if (why !== undefined) return { inputs, differs: { recorded, why }, chain: chain.head() };
      inputs += 1;
    }
  } catch (error) {
    if (error instanceof BytesDefect) throw new UsageError(`${file}: ${error.message}.`);
    throw error;
  }
  return { inputs, differs: undefined, chain: chain.head() };
}

/** Why the core is not where the node was after an input. */
function partsAt(
  { input, hash }: RecordedInput,
  player: Player,
  chain: ReturnType<typeof createChain>,
  life: Life | undefined,
): string | undefined {
  let own: Uint8Array;
  try {
    const { changes, effects } = player.play(input);
    life?.observe(input, changes, effects);
    own = chain.add(input, changes, effects, player.roots).where;
  } catch (error) {
    return `throws here: ${(error as Error).message}`;
  }
  const [there, here] = [hash, own].map((each) => Buffer.from(each).toString("hex"));
  return there === here ? undefined : `came to ${there} there and comes to ${here} here`;
}
