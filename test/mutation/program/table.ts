/**
 * What a run of mutation testing found, as a table of Markdown: the score, and each mutant that nothing noticed.
 */
import type { Judged, ProgramMutation } from "./mutate-program.ts";

/** One mutant and what became of it. */
export function judgedLine({ mutant, verdict }: Judged): string {
  return `${mutant.id}: ${verdict.type === "killed" ? `killed by ${verdict.by}` : verdict.type}`;
}

/** Survivors first, then what is marked equivalent, with its reason. */
export function tableOf({ mutants, judged, score }: ProgramMutation): string {
  const of = (type: string) => judged.filter(({ verdict }) => verdict.type === type);
  const [killed, survived, equivalent] = [of("killed"), of("survived"), of("equivalent")];
  const rows = [...survived, ...equivalent].map(({ mutant, verdict }) => {
    const what = verdict.type === "equivalent" ? `equivalent: ${verdict.reason}` : "survived";
    return `| ${mutant.file}:${mutant.line} | \`${mutant.change.replaceAll("|", "\\|")}\` | ${what} |`;
  });
  const counted = killed.length + survived.length;
  return [
    `${killed.length} of ${counted} mutants killed (${(score * 100).toFixed(1)} %), ${survived.length} survived, ` +
      `${equivalent.length} equivalent; ${mutants} mutants in all.`,
    ...(rows.length === 0 ? [] : ["", "| place | change | |", "|---|---|---|", ...rows]),
  ].join("\n");
}
