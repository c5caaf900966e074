import subprocess
import sys

import pytest

import octavo.evaluation


@pytest.mark.parametrize("name", octavo.evaluation.__all__)
def test_public_names_exist_and_are_documented(name):
    value = getattr(octavo.evaluation, name)
    assert name == "DEFAULT_METRICS" or value.__doc__
    assert name in dir(octavo.evaluation)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="evalute"):
        octavo.evaluation.evalute  # noqa: B018


def test_importing_loads_nothing_heavy_and_reading_no_evaluator():
    code = (
        "import sys, octavo\n"
        "assert octavo.evaluation.__doc__\n"
        "assert 'pyarrow' not in sys.modules\n"
        "from octavo.evaluation import evaluate, read_run\n"
        "assert callable(evaluate)\n"
        "print([name for name in ('ir_measures', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
