#!/bin/sh
# SPDX-License-Identifier: MIT
# ONNX's own evaluator applies the zero points of A's rows to A's columns.
#
# Guess: MatMulInteger takes a zero point per row of A, as its text says ("an M element vector
# [zp_1, zp_2, ..., zp_M]"), and the reference evaluator that the project ships shows the right
# answer. Behaviour: the evaluator subtracts the vector as numpy broadcasts it, from the columns. A
# square A gives wrong numbers without a word, any other A an error about shapes, and only a vector
# of shape [M, 1], which the text does not offer for 2-D, is right. onnxruntime refuses zero points
# per row altogether. So a quantized kernel with zero points per row can be checked against neither.
# QLinearMatMul has the same fault. Seen on 2026-11-30 with onnx 1.23.2 and onnxruntime 1.32.0 from
# PyPI.
#
# Exit status 0 if they behave as described, 1 if not, 2 if they cannot be tried.
set -u
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check onnx==1.23.2 onnxruntime==1.32.0 || exit 2

cat >rows.py <<'END'
import numpy, onnxruntime
from onnx import TensorProto, defs, helper
from onnx.reference import ReferenceEvaluator

assert 'M element vector' in defs.get_schema('MatMulInteger').inputs[2].description
options = onnxruntime.SessionOptions()
options.log_severity_level = 4

def engines(a, zero):
    """What both engines make of (a - zero) * the unit matrix."""
    feed = {'a': a, 'b': numpy.eye(a.shape[1], dtype=numpy.uint8), 'zero': zero}
    graph = helper.make_graph(
        [helper.make_node('MatMulInteger', list(feed), ['y'])], 'g',
        [helper.make_tensor_value_info(name, TensorProto.UINT8, value.shape)
         for name, value in feed.items()],
        [helper.make_tensor_value_info('y', TensorProto.INT32, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 13)], ir_version=8)
    for run in (lambda: ReferenceEvaluator(model).run(None, feed),
                lambda: onnxruntime.InferenceSession(
                    model.SerializeToString(), options,
                    providers=['CPUExecutionProvider']).run(None, feed)):
        try:
            yield str(run()[0].tolist())
        except Exception as error:
            yield type(error).__name__

# Every element equals the zero point of its row, so the right answer is all zeros.
square = numpy.array([[10, 10], [20, 20]], numpy.uint8)
wide = numpy.array([[10, 10, 10], [20, 20, 20]], numpy.uint8)
zero = numpy.array([10, 20], numpy.uint8)
for name, a, z in ('square', square, zero), ('wide', wide, zero), ('[M, 1]', wide, zero[:, None]):
    print(name, *engines(a, z))
END
seen=$(venv/bin/python rows.py) || exit 2
expected='square [[0, -10], [10, 0]] Fail
wide ValueError Fail
[M, 1] [[0, 0, 0], [0, 0, 0]] Fail'
echo "$seen"
[ "$seen" = "$expected" ] && echo 'rows taken for columns, as described' && exit
echo 'the behaviour has changed' >&2
exit 1
