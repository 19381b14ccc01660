# SPDX-License-Identifier: MIT
"""docs/*.schema.json, to hold records against."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import TOP


def schema(name: str) -> Any:
    return json.loads((TOP / "docs" / f"{name}.schema.json").read_text(encoding="utf-8"))


def complaints(record: Any, name: str) -> list[str]:
    """Where a record is not as its schema says: nowhere, if it is sound."""
    jsonschema, referencing = pytest.importorskip("jsonschema"), pytest.importorskip("referencing")
    shared = ("gemm-run", "gemm-pairs", "gemm-profile")  # of which others have parts
    registry = referencing.Registry().with_resources(
        (f"{one}.schema.json", referencing.Resource.from_contents(schema(one))) for one in shared
    )
    errors = jsonschema.Draft202012Validator(schema(name), registry=registry).iter_errors(record)
    return [f"{error.json_path}: {error.message}" for error in errors]
