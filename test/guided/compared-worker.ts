/**
 * One search for one bug, which is in the bundle that holds this: `plain` or `guided`, from a seed on, for so many
 * events at most. Prints the events that it took, the law and the CPU time; without a law where nothing was found.
 */
import { openBackends } from "../../sim/backends.ts";
import { guidedSearch } from "../../sim/guided/search.ts";
import { runScenario } from "../../sim/run.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";

const [way, first = "1", most = "0"] = process.argv.slice(2);
const EVENTS_MOST = Number(most);
const backends = openBackends();
const began = process.cpuUsage();

function* seeds(): Generator<bigint> {
  for (let seed = BigInt(first); ; seed++) yield seed;
}

async function plain(): Promise<readonly [number, string]> {
  let events = 0;
  for (const seed of seeds()) {
    const { report } = await runScenario(swarmScenario(seed), { seed }, backends);
    events += report.events;
    const [violation] = report.violations;
    if (violation !== undefined) return [events, violation.check];
    if (events >= EVENTS_MOST) break;
  }
  return [events, "nothing"];
}

async function guided(): Promise<readonly [number, string]> {
  let law = "nothing";
  const searched = await guidedSearch({
    seeds: seeds(),
    backends,
    stop: (events) => events >= EVENTS_MOST,
    broken({ report }) {
      law = report.violations[0]?.check ?? law;
      return true;
    },
  });
  return [searched.events, `${law} after ${searched.worlds} worlds and ${searched.continued} copies`];
}

const [events, found] = await (way === "plain" ? plain() : guided());
const { user, system } = process.cpuUsage(began);
console.log(`${events} events, ${((user + system) / 1_000_000).toFixed(1)} s, ${found}`);
process.exit(0);
