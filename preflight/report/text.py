"""The report for a person: a table for each step, the findings, and one line that sums up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.messages import report as messages
from preflight.messages.verdict import describe_verdict
from preflight.model.report import Finding, FindingRole, Problem, Report, ReportStep, Severity
from preflight.model.verdict import Verdict, VerdictSign
from preflight.report import findings as shape
from preflight.report import table
from preflight.report.formatting import format_location
from preflight.report.groups import group_findings
from preflight.report.next_steps import draw_next_steps
from preflight.report.summary import format_cluster, format_hygiene, format_summary
from preflight.report.terminal import Ink, count_columns, fold, pad
from preflight.report.verdict import decide_step_verdict, decide_verdict, select_answering_findings

MOST_FINDINGS = 10
# Of the worst 10, those that begin beyond these lines say only what and where: the whole must fit on a screen.
_MOST_LINES = 30
_MOST_STORY = 12
_MOST_MEMBERS = 8
_VERDICT_STYLES = {VerdictSign.BAD: "error", VerdictSign.UNKNOWN: "warning", VerdictSign.WARNING: "warning", VerdictSign.FINE: "gain"}


def render(report: Report, *, width: int = 0, color: bool = False, all_rows: bool = False) -> str:
    """The report as text.

    1. `width` is the number of columns of the terminal, 0 for no limit (piped). `color` adds ANSI colours. `all_rows` cuts nothing.
       In lint it also shows how each toleration of every DaemonSet matches.
    2. Each step prints its headline, its table, those of ordinary pods that have to go, and its findings. Findings of no step come last.
       Exempted ones are counted only.
    3. Without a change, and of what is broken today, more than 10 findings print the worst 10 and a count for each rule; of the 10, those
       beyond a screenful say only what and where.
    4. The last line always says what was judged, assumed and not judged.
    5. A report of a cluster begins with its context and its server.
    6. Where a chain was asked for (`--why`), it stands in the place of tables and findings.
    7. Whatever the names hold, no control character of theirs and no command to a CI machine gets through.
    """
    ink = Ink(color)
    blocks = list(_iter_blocks(report, ink, width, all_rows))
    return "\n\n".join("\n".join(escape_ci_commands(line) for line in block) for block in blocks) + "\n"


def render_problems(problems: Iterable[Problem], *, color: bool = False) -> str:
    """What could not be read, a line for each as compilers write them: `file:line:column: error: message`; "" for none."""
    ink = Ink(color)
    lines = []
    for problem in problems:
        where = f"{format_location(problem.location)}: " if problem.location else ""
        lines.append(escape_ci_commands(f"{where}{ink('error:', 'error')} {escape_unprintable(problem.message)}\n"))
    return "".join(lines)


def _iter_blocks(report: Report, ink: Ink, width: int, all_rows: bool) -> Iterator[list[str]]:
    """The parts of the text that an empty line stands between."""
    several = len(report.steps) > 1
    has_story = any(step.story is not None for step in report.steps)
    if report.why:
        if report.cluster is not None:
            yield fold(format_cluster(report.cluster), width)
        yield from _render_chain(report, ink, width)
        yield fold(format_summary(report), width)
        return
    if has_story and several:
        yield list(_render_clusters(report, ink))
    if report.cluster is not None:
        yield fold(format_cluster(report.cluster), width)
    if several or not report.steps:
        headline = [ink(line, "strong") for line in fold(report.command, width)] if several and not has_story else []
        yield [*headline, *_draw_verdict(decide_verdict(report), ink, width)]
    open_findings = select_answering_findings(report)
    for number, step in enumerate(report.steps, 1):
        heading = messages.number_step(number, len(report.steps)) if several and not has_story else ""
        verdict = decide_step_verdict(report, number) if several else decide_verdict(report)
        own = [finding for finding in open_findings if finding.step == number or not several]
        explained = {str(finding.subject) for finding in own if finding.effect is not None and finding.effect.reasons}
        title = "" if not several and step.story == () else heading + (step.headline or step.command)
        yield from _render_step(step, title, verdict, explained, ink, width, all_rows)
        if several:
            yield from _render_step_groups(step, own, ink, width, all_rows)
    if all_rows and (rows := _draw_tolerations(report, ink)):
        yield rows
    if len(report.steps) == 1 and report.command:
        yield from _render_step_groups(report.steps[0], open_findings, ink, width, all_rows)
    else:
        rest = [finding for finding in open_findings if not 0 < finding.step <= len(report.steps)] if several else open_findings
        limit = 0 if report.command and not has_story else MOST_FINDINGS
        yield from _render_groups(rest, ink, width, limit=limit, all_rows=all_rows)
    if hygiene := format_hygiene(report):
        yield fold(hygiene, width)
    if next_steps := draw_next_steps(report, ink, width):
        yield next_steps
    yield fold(format_summary(report), width)


def _draw_verdict(verdict: Verdict, ink: Ink, width: int) -> list[str]:
    """The first sentence, with its sign; none where all is well."""
    marker = "" if verdict.sign is VerdictSign.FINE else f"{verdict.sign} "
    lines = fold(describe_verdict(verdict), max(20, width - len(marker)) if width else 0)
    return [ink(f"{marker if at == 0 else ' ' * len(marker)}{line}", _VERDICT_STYLES[verdict.sign]) for at, line in enumerate(lines)]


def _draw_tolerations(report: Report, ink: Ink) -> list[str]:
    from preflight.report.tolerations import draw_tolerations  # few want all rows

    return list(draw_tolerations(report, ink))


def _render_chain(report: Report, ink: Ink, width: int) -> Iterator[list[str]]:
    """The chain of one DaemonSet on one node: a block a step, a heading once for the lines that share it."""
    margin = max(len(link.heading) for link in report.why) + 2
    for step in dict.fromkeys(link.step for link in report.why):
        lines, last = [], ""
        for link in report.why:
            if link.step == step:
                for at, line in enumerate(fold(escape_unprintable(link.text), max(20, width - margin) if width else 0)):
                    heading = link.heading if at == 0 and link.heading != last else ""
                    lines.append(ink(heading.ljust(margin), "strong") + line)
                last = link.heading
        yield lines


def _render_step(
    step: ReportStep, headline: str, verdict: Verdict, explained: Collection[str], ink: Ink, width: int, all_rows: bool
) -> Iterator[list[str]]:
    """The headline, the verdict, what to do before, and the tables; `explained` are DaemonSets whose findings say why."""
    lines = [ink(line, "strong") for line in fold(headline, width) if line]
    lines += _draw_verdict(verdict, ink, width)
    for note in step.notes:
        lines += [f"{'  note: ' if at == 0 else ' ' * 8}{line}" for at, line in enumerate(fold(note, max(20, width - 8) if width else 0))]
    yield lines
    has_table = step.story is None or (all_rows and step.nodes)
    grid, counts = table.draw_table(step, ink, width, all_rows, explained) if has_table else ([], [])
    if step.evictions is not None:
        from preflight.report.eviction_text import draw_advice, draw_evictions

        if advice := draw_advice(step.evictions, ink, width, all_rows):
            yield advice
        *blocks, last = draw_evictions(step.evictions, ink, width, all_rows)
        yield from blocks
        yield last if grid else [*last, *counts]
        counts = counts if grid else []
    if step.story:
        yield list(_render_story(step.story, ink, width, all_rows))
    if grid or counts:
        yield [*grid, *counts]


def _render_clusters(report: Report, ink: Ink) -> Iterator[str]:
    """Several clusters side by side: a line each, with the numbers of nodes and of findings."""
    longest = max(len("CLUSTER"), *(count_columns(escape_unprintable(step.command)) for step in report.steps))
    heads = ["NODES", *(f"{severity}s".upper() for severity in Severity)]
    yield ink(f"  {pad('CLUSTER', longest)}  {'  '.join(heads)}", "strong")
    for number, step in enumerate(report.steps, 1):
        own = [finding.severity for finding in report.findings if finding.exempted is None and finding.step == number]
        counts = [len(step.nodes), *(own.count(severity) for severity in Severity)] if step.nodes else []
        cells = [f"{count:>{len(head)}}" for count, head in zip(counts, heads, strict=False)] or [messages.CANNOT_BE_READ]
        mark = ink("x", "error") if Severity.ERROR in own or not counts else "!" if own else " "
        yield f"{mark} {pad(escape_unprintable(step.command), longest)}  {'  '.join(cells)}".rstrip()


def _render_story(story: Sequence[str], ink: Ink, width: int, all_rows: bool) -> Iterator[str]:
    """What is broken, a sentence each; of a long story the beginning."""
    shown = story if all_rows or len(story) <= _MOST_STORY else story[: _MOST_STORY - 1]
    for sentence in shown:
        for at, line in enumerate(fold(escape_unprintable(sentence), max(20, width - 2) if width else 0)):
            yield f"{ink('x', 'error') if at == 0 else ' '} {line}"
    if left := len(story) - len(shown):
        yield messages.count_hidden_sentences(left)


def _render_step_groups(step: ReportStep, findings: Sequence[Finding], ink: Ink, width: int, all_rows: bool) -> Iterator[list[str]]:
    """The findings of a step; those on pods, which its tables explain, without details, and no notes of these."""
    about_pods = [finding for finding in findings if _is_about_pods(finding)] if step.evictions is not None and not all_rows else []
    rest = [finding for finding in findings if finding not in about_pods]
    yield from _render_groups(rest, ink, width, limit=0 if step.story is None else MOST_FINDINGS, all_rows=all_rows)
    told = [finding for finding in about_pods if finding.severity is not Severity.NOTE]
    groups = sorted(group_findings(told), key=lambda group: group.severity.rank)
    shown = groups if len(groups) <= MOST_FINDINGS + 1 else groups[:MOST_FINDINGS]
    lines = [line for group in shown for line in shape.draw_brief(group, ink, width)]
    if hidden := [finding for group in groups[len(shown) :] for finding in group.findings]:
        lines.append(messages.count_hidden_findings(len(hidden), sorted({finding.rule for finding in hidden})))
    if lines:
        yield lines


def _is_about_pods(finding: Finding) -> bool:
    return finding.effect is None and finding.role is FindingRole.ANSWER


def _render_groups(findings: Sequence[Finding], ink: Ink, width: int, *, limit: int, all_rows: bool) -> Iterator[list[str]]:
    """The groups of findings, 0 for no limit; beyond it the worst ones and a count for each rule. `all_rows` cuts nothing.

    What a change costs is listed for all its DaemonSets; of other findings with many objects the first ones are shown.
    """
    groups = group_findings(findings)
    if all_rows or not limit or len(groups) <= limit + 1:
        for group in groups:
            most = 0 if all_rows or (not limit and group.effect is not None) else _MOST_MEMBERS
            yield list(shape.draw_group(group, ink, width, most_members=most))
        return
    lines = 0
    shown = sorted(groups, key=lambda group: group.severity.rank)[:limit]
    for group in shown:
        block = list(shape.draw_group(group, ink, width, most_members=_MOST_MEMBERS, short=lines >= _MOST_LINES))
        lines += len(block) + 1
        yield block
    yield _render_rule_counts(findings, len(shown), ink)


def _render_rule_counts(findings: Sequence[Finding], shown_count: int, ink: Ink) -> list[str]:
    """How many findings each rule has, rules with the worst ones first."""
    rules: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        rules.setdefault((finding.rule, finding.name), []).append(finding)
    worst = {rule: min(found, key=lambda finding: finding.severity.rank).severity for rule, found in rules.items()}
    digits = max(len(str(len(found))) for found in rules.values())
    more = messages.MORE_FINDINGS
    lines = [messages.count_findings(len(findings), shown_count, more)]
    for rule in sorted(rules, key=lambda rule: (worst[rule].rank, rule)):
        number = f"{len(rules[rule]):>{digits}}"
        lines.append(f"  {number}  {ink(rule[0], worst[rule])} {escape_unprintable(rule[1])}")
    return lines
