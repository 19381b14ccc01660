# SPDX-License-Identifier: MIT
"""rewrite FILE.cu: prints it as C++ for cuda_runtime.h in this folder. Lines stay where they are.

kernel<<<grid, block>>>(a)     emulation::kernel(...) ->* emulation::configuration(grid, block)(a)
__shared__ real t[8], u;       struct shared_1 { real t[8], u; }; auto &t = emulation::shared<shared_1>().t; ...
extern __shared__ real s[];    real *s = emulation::dynamic_shared();
__launch_bounds__(N)           emulation::launch_bounds(N); as the first statement of the kernel
__device__ int n;              int n; static const emulation::device_variable device_1(n);
"""
import re
import sys

TOKEN = re.compile(
    r'''(?P<space>     \s+ | //[^\n]* | /\*.*?(?:\*/|\Z) )
      | (?P<directive> ^[ \t]*\#(?: /\*.*?\*/ | //[^\n]* | \\\r?\n | [^\n] )* )
      | (?P<code>      R"(?P<end>[^(\s]*)\(.*?\)(?P=end)" | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
                     | [A-Za-z_]\w* | \d(?:'?[\w.])* | <<< | >>> | :: | . )''',
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.ASCII)
LIBRARIES = re.compile(r'\s*#\s*include\s*[<"](cuda_fp[48]|cooperative_groups/|'
                       r'cublas|curand|cuda/(?!barrier)|cub/|thrust/|cutlass/)')
CLOSING = {'(': ')', '[': ']', '{': '}', '<': '>'}
ALIGNMENT = ('alignas', '__align__', '__attribute__')


class Source:
    """The tokens of a file that the compiler sees, by number. What a token becomes is set by put() and so
    on; s[i] is what it was. There is nothing before the first and after the last."""

    def __init__(self, text):
        self.pieces, self.tokens, self.places = [], [], []
        for match in TOKEN.finditer(text):
            piece = match.group()
            if match['code']:
                self.tokens.append(piece)
                self.places.append(len(self.pieces))
            elif match['directive'] and LIBRARIES.match(piece):
                piece = '#error ' + piece.strip() + ' is not emulated: it needs nvcc and a GPU'
            self.pieces.append(piece)
        self.numbers = 0

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i] if 0 <= i < len(self) else ''

    def put(self, i, text):
        self.pieces[self.places[i]] = text

    def prepend(self, i, text):
        self.pieces[self.places[i]] = text + self.pieces[self.places[i]]

    def append(self, i, text):
        self.pieces[self.places[i]] += text

    def remove(self, first, last):
        for i in range(first, last + 1):
            self.put(i, '')

    def text(self, first, last):
        return ' '.join(self[i] for i in range(first, last + 1))

    def number(self):
        self.numbers += 1
        return self.numbers

    def line(self, i):
        return ''.join(self.pieces[:self.places[i]]).count('\n') + 1

    def is_name(self, i):
        return re.match(r'[A-Za-z_]\w*$', self[i]) is not None

    def closing(self, i):
        """Where the bracket is closed that opens at i."""
        depth = 0
        for j in range(i, len(self)):
            depth += (self[j] == self[i]) - (self[j] == CLOSING[self[i]])
            if depth == 0:
                return j
        return len(self) - 1

    def opening(self, i):
        """Where the bracket opens that is closed at i."""
        depth = 0
        for j in range(i, -1, -1):
            depth += (self[j] == self[i]) - (CLOSING.get(self[j]) == self[i])
            if depth == 0:
                return j
        return 0

    def find(self, i, *wanted):
        """The first of these tokens from i on that is in no bracket which opens there."""
        while i < len(self) and self[i] not in wanted:
            i = (self.closing(i) if self[i] in ('(', '[', '{') else i) + 1
        return min(i, len(self) - 1)

    def start(self, i):
        """The first token of the declaration that token i is a word of."""
        while True:
            if self.is_name(i - 1) and self[i - 1] not in ('else', 'do') or self[i - 1] == '::':
                i -= 1
            elif self[i - 1] == ')' and self[self.opening(i - 1) - 1] in ALIGNMENT:
                i = self.opening(i - 1) - 1
            else:
                return i

    def names(self, first, last):
        """The numbers of the names that a declaration declares; its last token is the semicolon."""
        found, name, complete, angles, i = [], None, False, 0, first
        while i <= last:
            token = self[i]
            if token in ALIGNMENT:
                i = self.closing(i + 1)
            elif token == '=':
                i = self.find(i, ',', ';') - 1
            elif token == '(':  # float (*rows)[8]
                name = next((j for j in range(i, self.closing(i)) if self.is_name(j)), name)
                complete, i = True, self.closing(i)
            elif token in ('[', '{'):  # a size; what is in a struct
                complete, i = token == '[', self.closing(i)
            elif token in ('<', '>') and not complete:
                angles += 1 if token == '<' else -1
            elif token in (',', ';') and angles == 0:
                found.append(name)
                name, complete = None, False
            elif self.is_name(i) and not complete:
                name = i
            i += 1
        return [name for name in found if name is not None]


def rewrite_launch(s, i):
    end = s.find(i + 1, '>>>')
    first = i - 1
    if s[first] in ('>', ')'):  # kernel<32>, (*kernel)
        first = s.opening(first) - (s[first] == '>')
    while s[first - 1] == '::':
        first -= 2 if s.is_name(first - 2) else 1
    kernel = s.text(first, i - 1)
    s.remove(first, i - 1)
    s.put(first, f'emulation::kernel([=](auto... emulated) {{ {kernel}(emulated...); }}, '
                 f'[=](auto emulated) -> decltype(emulated({kernel})) {{ return emulated({kernel}); }})')
    s.put(i, ' ->* emulation::configuration(')
    s.put(end, ')')


def rewrite_shared(s, i):
    first, last = s.start(i), s.find(i, ';')
    words = [j for j in range(first, last) if s[j] in ('extern', 'static', '__shared__')]
    dynamic = any(s[j] == 'extern' for j in words)
    for j in words:
        s.put(j, '')
    if dynamic:  # name[] is a pointer to the memory that the launch asks for
        for j in range(first, last):
            if s[j] in ALIGNMENT:
                s.remove(j, s.closing(j + 1))
        for name in s.names(first, last):
            end = name
            if s[name + 1] == '[':
                end = s.closing(name + 1)
                s.remove(name + 1, end)
            s.put(name, f'(*{s[name]})' if s[end + 1] == '[' else f'*{s[name]}')
            while s[end + 1] == '[':
                end = s.closing(end + 1)
            s.append(end, ' = emulation::dynamic_shared()')
    else:
        struct = f'shared_{s.number()}'
        s.prepend(first, f'struct {struct} {{ ')
        s.append(last, ' };' + ''.join(f' auto &{s[j]} = emulation::shared<{struct}>().{s[j]};'
                                       for j in s.names(first, last)))
    s.append(last, ' static_assert(*__builtin_FUNCTION(), "__shared__ outside a function: it needs nvcc");')


def rewrite_variable(s, i):
    """__device__ and __constant__, of which only the first may be a function's."""
    first, last = s.start(i), s.find(i, ';')
    end = next((j for j in range(i, last + 1) if s[j] in ('=', '[', '{', ';') or
                s[j] == '(' and s[j - 1] not in ALIGNMENT), last)
    if s[end] == '(':
        return
    if s[i] == '__constant__':
        s.put(i, '')
    if s[i - 1] in ('__device__', '__constant__') or 'extern' in s.text(first, end).split():
        return
    for name in s.names(first, last):
        s.append(last, f' static const emulation::device_variable device_{s.number()}({s[name]});')


def rewrite_launch_bounds(s, i):
    end = s.closing(i + 1)
    body = s.find(end, '{', ';')
    s.remove(i, end)
    if s[body] == '{':
        s.append(body, f' emulation::launch_bounds({{__FILE__, {s.line(i)}}}, {s.text(i + 2, end - 1)});')


def rewrite(s):
    scopes = []  # the braces around a token: are they those of a namespace?
    for i in range(len(s)):
        token = s[i]
        if token == '{':
            scopes.append(s[s.start(i)] == 'namespace' or s[i - 2] == 'extern')
        elif token == '}' and scopes:
            scopes.pop()
        elif token == '<<<' and s[i - 1] != 'operator':
            rewrite_launch(s, i)
        elif token == '__shared__':
            rewrite_shared(s, i)
        elif token in ('__device__', '__constant__') and all(scopes):
            rewrite_variable(s, i)
        elif token == '__launch_bounds__':
            rewrite_launch_bounds(s, i)
        elif token == '__noinline__' and s[i - 1] != '(':  # no macro: g++'s own headers use this name
            s.put(i, '__attribute__((noinline))')


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: rewrite FILE.cu')
    try:
        with open(sys.argv[1], encoding='latin-1', newline='') as file:
            text = file.read()
    except OSError as error:
        sys.exit(f'{sys.argv[1]}: {error.strerror}')
    source = Source(text.removeprefix('\xef\xbb\xbf'))  # the mark of UTF-8 that some editors write
    rewrite(source)
    name = sys.argv[1].replace('\\', r'\\').replace('"', r'\"')
    sys.stdout.reconfigure(encoding='latin-1', newline='')
    print(f'#line 1 "{name}"', ''.join(source.pieces), sep='\n', end='')


if __name__ == '__main__':
    main()
