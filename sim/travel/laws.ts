/**
 * Laws in words, by the names of their checkers: what must hold, for people who read that it did not.
 */

const laws: Readonly<Record<string, string>> = {
  "absences-are-heeded": "what a node read from a transaction that the chain does not hold any more counts no longer",
  "absences-end-by-two": "an absence ends when two peers were compared with, or a file was taken",
  actions: "every action of the scenario ends in time",
  "arrivals-learn-of-services": "a node registers its services again soon after somebody new is connected",
  "bounded-work": "whatever is sent to a node, it does bounded work for it",
  "calls-are-answered": "every call that a node took is answered within a minute, and before its memory is given up",
  "chain-decides": "a dispute has a resolution only after its node read the decision on the chain",
  "closings-are-looked-into":
    "a transaction that closes a watched escrow leaves a fact, a pending one or a look behind",
  "comparisons-go-on": "what a comparison of sets names and a node lacks is fetched at once",
  "credit-is-kept": "nobody pushes more into a node than its link's credit allows",
  "dates-are-admitted": "what a node takes bears a date that is admitted on the way by which it came",
  "decision-observed": "a node with an endpoint knows the decision that the chain made",
  "decisions-are-seen":
    "nodes with an endpoint know in time how the escrows of their trades were closed, and of no other closing",
  "durable-before-visible": "nothing leaves a node before it is on its disk, and nothing that a disk kept is lost",
  "effects-are-known": "whatever a node asks of the outside is something that the outside does",
  "equal-sets-equal-states": "nodes that hold equal statements and chain facts have equal records",
  "escrow-conserved": "the escrow programs neither make nor lose lamports and tokens",
  "facts-are-final": "a decision or release that a node holds for good is one that the finalized chain made",
  "facts-are-weighed": "a closing that the finalized chain bears out is a fact at once",
  "faults-are-proven": "a fault that the scenario declares changes something",
  "fetched-once": "what was fetched is not fetched again",
  flagged: "every node that is up in the end has logged what the scenario waits for",
  "good-signatures-pass": "what bears its signer's signature is not refused as signed by nobody",
  "hops-are-counted": "what a peer pushes is passed on with a hop less",
  "links-are-known": "a node knows of every open connection, also when its memory was built again",
  "links-begin-needed": "a link that is new, or whose peer lacked something, is passed over for nobody's words",
  "logs-are-named": "a line that a node logs bears a level and the name of what happened",
  "messages-are-known": "a node sends nothing that nobody knows, and answers each request of a peer once",
  "no-bugs": "the code of a node does not throw",
  "no-party-leaks": "no public read ties a party to a trade",
  "no-resolution-without-execution": "no node shows a resolution that no transaction executed",
  "nodes-load": "every node has loaded its store in the end",
  "notices-reach-whom-they-concern": "what happens in a trade is told to those whom it concerns, and to nobody else",
  "one-execution": "a case is executed once",
  "proofs-open-once": "a proof opens a read once, and to whom it belongs alone",
  "pushes-are-repeated": "a statement that a node pushed and nobody acknowledged is pushed again",
  "ranges-rest": "a range in which nothing is left to be moved is not looked into again",
  "rates-are-tagged": "a rate that is stale or absent is never shown as a number",
  "reads-change-nothing": "a read changes no record",
  "reads-follow-the-papers": "what is read of people is what the papers make of the statements that a node holds",
  "records-follow-the-papers":
    "records of trades are what the papers make of the statements and facts that a node holds",
  "refusals-are-documented": "a call is refused with a code, and for a reason, that the document has for its method",
  "refusals-are-lifted": "no refusal is remembered of what is held, or of what may rest on what has come since",
  "refusals-have-grounds": "what is sent is refused for what is so, and not taken in spite of it",
  "registers-go-forward": "the greatest word of a register never gives way to a lesser one",
  "replays-the-same": "the core comes to the same after every input as the node did",
  "replicas-converge": "in the end all nodes hold the same",
  "requests-are-answered": "of what a peer asks for and its allowance pays for nothing is left out",
  "reviews-are-of-parties": "a review that anybody reads is one party's of a settled trade about the other",
  "sends-are-told": "what a client sends goes on the wire",
  "slots-are-attested": "no single origin moves the newest slot, and none is kept that the chain cannot have reached",
  "snapshots-keep-slots": "a node that observed no slot makes no snapshot, and none bears a slot that nobody observed",
  "space-is-counted": "what a node counts as each signer's space, and in all, is what it holds",
  "stake-counts-once": "what is counted on a case was staked at its commit, and stays staked until the votes are over",
  "statements-are-signed": "every statement that a node takes bears a signature of the person whose it is",
  "statements-arrive": "what is told to one node reaches the others",
  "submits-once": "a transaction is submitted once",
  "timers-rest": "a timer that comes again at once has changed something, and comes at most 1,024 times a second",
  "votes-weigh-stakes": "the stake that a node holds for a vote is one that the finalized chain showed",
};

/** What must hold under a law of this name; nothing where no words are kept for it, as for one of somebody's own. */
export function lawTextOf(check: string): string | undefined {
  return Object.hasOwn(laws, check) ? laws[check] : undefined;
}
