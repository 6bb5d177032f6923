/**
 * What a researcher needs of the simulator: a scenario and its faults, the checkers that watch it, people, and a run.
 * Not here: what people and attackers do (actions, byzantine), the chain on its own (chain), arbitraries.
 */

export { simulatedNetwork } from "../core/index.ts";
export {
  type Action,
  ActionData,
  type ActionDataKind,
  type ActionOf,
} from "./action-kinds.ts";
export type { CodeAction } from "./actions/action-row.ts";
export { openBackends } from "./backends.ts";
export { EndingData, LivenessData, SafetyData } from "./check-kinds.ts";
export type {
  AnswerSeen,
  CheckContext,
  Checker,
  CommitSeen,
  CrashSeen,
  EffectSeen,
  EndSeen,
  LogSeen,
  MakeChecker,
  PublishedSeen,
  StepSeen,
  Violation,
} from "./checker.ts";
export { alwaysWatched } from "./checkers/always-watched.ts";
export { boundedWork } from "./checkers/bounded-work.ts";
export { callsAreAnswered } from "./checkers/calls-are-answered.ts";
export { creditIsKept } from "./checkers/credit-is-kept.ts";
export { datesAreAdmitted } from "./checkers/dates-are-admitted.ts";
export { decisionObserved } from "./checkers/decision-observed.ts";
export { decisionsAreSeen } from "./checkers/decisions-are-seen.ts";
export { durableBeforeVisible } from "./checkers/durable-before-visible.ts";
export { equalSetsEqualStates } from "./checkers/equal-sets-equal-states.ts";
export { escrowConserved } from "./checkers/escrow-conserved.ts";
export { factsAreFinal } from "./checkers/facts-are-final.ts";
export { fetchedOnce } from "./checkers/fetched-once.ts";
export { hopsAreCounted } from "./checkers/hops-are-counted.ts";
export { linksAreKnown } from "./checkers/links-are-known.ts";
export { logsAreNamed } from "./checkers/logs-are-named.ts";
export { noPartyLeaks } from "./checkers/no-party-leaks.ts";
export { noResolutionWithoutExecution } from "./checkers/no-resolution-without-execution.ts";
export { oneExecution } from "./checkers/one-execution.ts";
export { proofsOpenOnce } from "./checkers/proofs-open-once.ts";
export { ratesAreTagged } from "./checkers/rates-are-tagged.ts";
export { readsChangeNothing } from "./checkers/reads-change-nothing.ts";
export { recordsFollowThePapers } from "./checkers/records-follow-the-papers.ts";
export { registersGoForward } from "./checkers/registers-go-forward.ts";
export { replicasConverge } from "./checkers/replicas-converge.ts";
export { sendsAreTold } from "./checkers/sends-are-told.ts";
export { snapshotsKeepSlots } from "./checkers/snapshots-keep-slots.ts";
export { stakeCountsOnce } from "./checkers/stake-counts-once.ts";
export { statementsAreSigned } from "./checkers/statements-are-signed.ts";
export { statementsArrive } from "./checkers/statements-arrive.ts";
export { submitsOnce } from "./checkers/submits-once.ts";
export { clockText } from "./clock-text.ts";
export { type DiskConditions, healthyDisk } from "./disk.ts";
export type { Distribution } from "./distributions.ts";
export type { Ending } from "./endings.ts";
export { type EndpointConditions, healthyEndpoint } from "./endpoint-conditions.ts";
export {
  attacker,
  badDisk,
  badEndpoint,
  badFiles,
  badSubmissions,
  bitRot,
  type CodeFault,
  clockDrift,
  clockJump,
  crash,
  FaultData,
  type FaultDataKind,
  type FaultOf,
  type FaultPlan,
  forkedChain,
  halfOpen,
  misdirectedWrite,
  networkConditions,
  partition,
  pause,
  poorLink,
  reorganization,
  restart,
  type Span,
  sharedLine,
  skippedSlots,
  slowNode,
  stalledFinality,
  wrongClock,
} from "./fault-plans.ts";
export { type FaultCount, type FaultKind, type FaultLedger, faultKinds, type Injection } from "./faults.ts";
export { type FileConditions, healthyFiles } from "./files.ts";
export { copyRun, restoreRun, saveRun } from "./held-run.ts";
export { healthyLink, type LinkConditions } from "./links.ts";
export type { LivenessCheck } from "./liveness.ts";
export { type Answer, createPerson, type Person } from "./person.ts";
export {
  below,
  between,
  bytes,
  chance,
  openStream,
  pick,
  SEED_MAX,
  type Stream,
  shuffled,
  u32,
  u64,
} from "./random.ts";
export { type RunReport, reportJson, reportLine } from "./report.ts";
export { type ReplayVerdict, type Repro, ReproData, reproOf, reproText, verdictOn } from "./repro.ts";
export { openRun, type Run, type RunResult, runScenario } from "./run.ts";
export {
  type ChainChoice,
  defineScenario,
  type Excerpt,
  excerptOf,
  hours,
  minutes,
  type Participant,
  type Scenario,
  type ScenarioPlan,
  seconds,
} from "./scenario.ts";
export { ScenarioData, scenarioOf, scenarioSchema, scenarioText } from "./scenario-data.ts";
export type { Scene } from "./scene.ts";
export { type Granted, type Script, ScriptFailure, sleep, until, type Wish } from "./script.ts";
export type {
  Backends,
  ChainSetting,
  ChainSupply,
  NetworkChoice,
  Progress,
  RunBound,
  RunOptions,
  StoreChoice,
} from "./setup.ts";
export type { SimNode } from "./sim-node.ts";
export {
  SimulationFailure,
  type SimulationPropertyOptions,
  type SimulationPropertyReport,
  simulationProperty,
} from "./simulation-property.ts";
export { swarmScenario } from "./swarm/swarm-scenario.ts";
export {
  type CapturedEvent,
  type Checkpoint,
  firstDifferingEvent,
  firstDifferingStretch,
  type Stretch,
} from "./trace.ts";
export {
  type Challenge,
  openWallet,
  type SigningForm,
  type Wallet,
  type WalletProof,
  walletOfSecret,
} from "./wallet.ts";
export { type NodeSeat, type StoryLine, WORLD_START, type World } from "./world.ts";
