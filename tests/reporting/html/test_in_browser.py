"""Pages as a browser shows them; skipped where there is no Chromium."""

from pathlib import Path

import pyarrow as pa
import pytest

from octavo.evaluation import compare_runs, read_qrels, read_run
from octavo.evaluation.page import write_page
from octavo.evaluation.side_by_side import PageSources
from octavo.reporting.html.element import element
from octavo.reporting.html.line_plot import Scale, Series, line_plot
from octavo.reporting.html.page import page, section
from octavo.reporting.html.table import plain_table
from octavo.reporting.table import Table
from tests.reporting.html.browser import Browser, find_browser

AUDIT = Path(__file__).with_name("audit.js").read_text()
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\u202e"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    queries = ["q1", "q2", HOSTILE]
    runs, results = [], {}
    for name, order in (("keyword", "abc"), ("hybrid", "cab"), (HOSTILE, "bca")):
        table = pa.table(
            {
                "query_id": [query for query in queries for _ in order],
                "id": [*order] * 3, "score": [3.0, 2.0, 1.0] * 3, "keyword_rank": [1, 2, 3] * 3,
                "keyword_score": [9.5, 8.5, 7.5] * 3, "multiplier": [0.5] * 9,
            }
        )  # fmt: skip
        runs.append(read_run(table, name=name))
        results[name] = table
    qrels = read_qrels(pa.table({"query_id": queries, "id": ["a", "b", "c"], "grade": [1, 2, 1]}))
    asked = pa.table({"id": queries, "text": ["red fox", "blue whale", HOSTILE]})
    path = tmp_path_factory.mktemp("evaluation") / "report.html"
    write_page(compare_runs(runs, qrels, ["nDCG@10", "RR"]), path, PageSources(results, asked))
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    table = Table(
        "Figures", ("what", "time", "found"),
        (("b", "9 ms", "x2"), ("a", "10 s", ""), ("c", "", "x10")), ("time",),
        ((None, 0.009, None), (None, 10.0, None), (None, None, None)),
    )  # fmt: skip
    plot = line_plot(
        "p", "Growth", Scale("n", True), Scale("t"), [Series("s", ((1.0, 2.0), (9.0, 3.0)))]
    )
    text = page(
        "Plain",
        [element("p", "lead")],
        [section("s", "Figures", plot, plain_table(table))],
        made_by="me",
    )
    path = tmp_path_factory.mktemp("plain") / "plain.html"
    path.write_text(text, encoding="utf-8")
    return path


def column(browser, number=0):
    return browser.run(
        f"Array.from(document.querySelector('table').tBodies[0].rows, r => r.cells[{number}].textContent)"
    )


def sort_by(browser, number):
    browser.run(f"document.querySelectorAll('thead button')[{number}].click()")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("made", ["evaluation", "plain"])
def test_anybody_can_read_it(browser, request, made, scheme):
    browser.open(request.getfixturevalue(made), scheme)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    paper = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) is (scheme == "light")
    assert browser.run(AUDIT) == []
    assert browser.complaints() == []


def test_paper_has_every_row_and_column(browser, evaluation):
    browser.open(evaluation)
    browser.run("document.querySelector('details').open = true")
    cut = (
        "Array.from(document.querySelectorAll('.scroll'), each => [getComputedStyle(each), each])"
        ".filter(([style, each]) => style.overflowX !== 'visible' || style.maxHeight !== 'none')"
        ".length"
    )
    assert browser.run(cut) > 0
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.run(cut) == 0
    browser.send("Emulation.setEmulatedMedia", media="")


def test_a_telephone_shows_plots_in_letters_of_a_size(browser, plain):
    browser.send(
        "Emulation.setDeviceMetricsOverride",
        width=360,
        height=740,
        deviceScaleFactor=2,
        mobile=True,
    )
    try:
        browser.open(plain)
        scale = "document.querySelector('svg').getBoundingClientRect().width / 740"
        assert browser.run(scale) * 12 >= 9
        assert browser.run("document.documentElement.scrollWidth") == 360
    finally:
        browser.send("Emulation.clearDeviceMetricsOverride")


def test_the_contrast_check_would_see_a_fault(browser, plain):
    browser.open(plain)
    browser.run("document.querySelector('h1').style.color = 'rgb(150, 150, 150)'")
    found = browser.run(AUDIT)
    assert len(found) == 1
    assert found[0].startswith("contrast 2.")


def test_tables_sort_by_value_and_say_so(browser, plain):
    browser.open(plain)
    assert column(browser) == ["b", "a", "c"]
    for clicks, order, found in ((1, "ascending", "abc"), (2, "descending", "cba")):
        sort_by(browser, 0)
        assert column(browser) == [*found], clicks
        assert browser.run("document.querySelector('th').getAttribute('aria-sort')") == order
        said = browser.run("document.getElementById('announcement').textContent")
        assert said == f"Figures: sorted by what, {order}"
    sort_by(browser, 1)
    assert column(browser) == ["b", "a", "c"]  # nothing is last, whichever way
    assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1
    sort_by(browser, 1)
    assert column(browser) == ["a", "b", "c"]
    sort_by(browser, 2)
    assert column(browser, 2) == ["x2", "x10", ""]


def test_hits_sort_by_rank(browser, evaluation):
    browser.open(evaluation)
    browser.run("document.querySelector('details').open = true")
    browser.run(
        "document.querySelectorAll('details table')[0].querySelectorAll('thead button')[3].click()"
    )
    ranks = "Array.from(document.querySelector('details table').tBodies[0].rows, r => r.cells[3].dataset.key)"
    assert browser.run(ranks) == ["1", "2", "3"]


def test_the_keyboard_reaches_everything(browser, evaluation):
    browser.open(evaluation)
    browser.press("Tab")
    assert browser.run("document.activeElement.textContent") == "Skip to the report"
    assert browser.run("document.activeElement.getBoundingClientRect().left") >= 0
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "report"
    reached, left = [], 200
    while left and "SUMMARY" not in reached:
        browser.press("Tab")
        reached.append(browser.run("document.activeElement.tagName"))
        left -= 1
    assert {"BUTTON", "INPUT", "DIV", "A", "SUMMARY"} <= set(reached)
    outline = browser.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    browser.press("Enter")
    assert browser.run("document.querySelector('details').open") is True
    browser.press("Tab", modifiers=8)
    assert browser.run("document.activeElement.tagName") != "SUMMARY"  # and back: no trap
    browser.run("document.querySelector('thead button').focus()")
    browser.press(" ")
    assert browser.run("document.querySelector('th').getAttribute('aria-sort')") == "ascending"


def test_queries_are_found_and_parts_hidden(browser, evaluation):
    browser.open(evaluation)
    browser.run("document.getElementById('filter').focus()")
    for letter in "WHALE":
        browser.press(letter)
    seen = "Array.from(document.querySelectorAll('details'), d => d.checkVisibility())"
    assert sorted(browser.run(seen)) == [False, False, True]
    announced = "document.getElementById('announcement').textContent"
    assert browser.run(announced) == "1 of 3 queries shown"
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    visible = "Array.from(document.querySelectorAll('details:not([hidden]) .parts')).some(p => p.checkVisibility())"
    assert browser.run(visible) is True
    browser.run("document.getElementById('parts').click()")
    assert browser.run(visible) is False
    assert browser.run("document.getElementById('parts').getAttribute('aria-pressed')") == "false"
    assert browser.run(announced) == "Parts of scores hidden"


def test_a_link_to_a_query_opens_its_hits(browser, evaluation):
    browser.open(evaluation)
    browser.run("document.querySelector('#queries tbody a').click()")
    assert browser.run("document.querySelector('details').open") is True


def find_queries(browser, text):
    browser.run(
        f"filter = document.getElementById('filter'); filter.value = {text!r};"
        "filter.dispatchEvent(new Event('input'))"
    )
    return browser.run("document.getElementById('filtered').textContent")


def test_queries_are_found_by_their_own_words(browser, evaluation):
    browser.open(evaluation)
    assert find_queries(browser, "fox") == "1 of 3 queries shown"
    assert find_queries(browser, "hybrid") == "0 of 3 queries shown"  # of a system, and of no query
    assert find_queries(browser, "") == ""


def test_a_link_leads_to_a_query_that_the_filter_hides(browser, evaluation):
    browser.open(evaluation)
    for _ in range(2):
        find_queries(browser, "nothing like it")
        browser.run("document.querySelector('details').open = false")
        browser.run("document.querySelector('#queries tbody a').click()")
        assert browser.run("document.querySelector('details').checkVisibility()") is True
        assert browser.run("document.querySelector('details').open") is True
        assert browser.run("document.getElementById('filter').value") == ""


def test_hostile_texts_do_nothing(browser, evaluation):
    browser.open(evaluation)
    assert browser.run("document.title") == "Evaluation"
    assert browser.run("document.images.length + document.scripts.length") == 1
    assert browser.run("document.body.textContent.includes('<img src=x')") is True
    # Even markup that slipped in would not run, nor load.
    blocked = browser.run(
        "new Promise((done) => {"
        "  document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective));"
        "  const image = document.createElement('img');"
        "  image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image); })"
    )
    assert blocked == "img-src"
    assert (
        browser.run("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')") == "refused"
    )


def test_it_reads_without_scripts(browser, evaluation):
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(evaluation)
        document = browser.send("DOM.getDocument")["root"]["nodeId"]

        def count(selector):
            found = browser.send("DOM.querySelectorAll", nodeId=document, selector=selector)
            return len(found["nodeIds"])

        assert count("thead button") == 0
        assert count(".tools[hidden]") == 1
        assert count("details table tbody tr") == 9
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)
