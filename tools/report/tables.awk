# SPDX-License-Identifier: MIT
# tables.awk provenance.txt defaults.txt ceilings.tsv LAB.csv ..., after csv.awk and quantile.awk: writes what stands
# between the markers of report.md, one file a marker, into the folder -v out. Times are medians in ms with
# their spread, the distance of the quartiles in % of the median. -v plots: a folder with the plots there are;
# -v gnuplot: the program, or nothing.

# ---- the data -----------------------------------------------------------------------------------
FILENAME ~ /provenance[.]txt$/ {
    at = index($0, ": ")
    fact_name[++facts] = substr($0, 1, at - 1)
    fact[fact_name[facts]] = plain_text(substr($0, at + 2))
    next
}

FILENAME ~ /defaults[.]txt$/ {
    at = index($0, ": ")
    programs[++program_count] = substr($0, 1, at - 1)
    default_of[programs[program_count]] = substr($0, at + 2)
    next
}

FILENAME ~ /ceilings[.]tsv$/ {
    split($0, c, "\t")
    ceiling[c[1], plain_text(c[2]), c[3]] = c[4] "\t" c[5]
    next
}

row(f) {
    lab = f[1] (f[2] == "" ? "" : ", " f[2])
    cell = lab SUBSEP f[5] SUBSEP f[6] SUBSEP f[21] # lab, type, N, tunables
    if (!((f[3], lab) in known_lab)) {
        known_lab[f[3], lab] = 1
        labs[f[3], ++lab_count[f[3]]] = lab
        own[lab] = f[2] == ""
        backend_of[lab] = f[3]
    }
    if (f[21] == "" && !((f[3], f[6]) in known_size)) {
        known_size[f[3], f[6]] = 1
        sizes[f[3], ++size_count[f[3]]] = f[6]
    }
    if (f[21] != "" && !((lab, f[21]) in known_tunables)) {
        known_tunables[lab, f[21]] = 1
        tunables[lab, ++tunables_count[lab]] = f[21]
    }
    if (f[21] != "" && !((lab, f[6]) in known_tuned)) {
        known_tuned[lab, f[6]] = 1
        tuned[lab, ++tuned_count[lab]] = f[6]
    }
    if (f[21] == "") planned[lab, f[5]] = 1
    why[cell] = plain_text(f[23])
    if (f[10] == "") next
    measured[f[3]] = 1
    n = ++count[cell]
    ms[cell, n] = f[10]
    h2d[cell, n] = f[11]
    d2h[cell, n] = f[12]
    alloc[cell] = f[13] + 0
    build[cell] = f[14] + 0
    context[cell] = f[17] + 0
    device_of[cell] = plain_text(f[4])
    peak_of[cell] = f[19]
}

# What a compiler or a driver says may be anything, in Markdown and HTML as well.
function plain_text(text) {
    gsub(/--+/, "-", text)
    gsub(/[<*`|]/, "\\\\&", text)
    return text
}

# ---- numbers ------------------------------------------------------------------------------------
function id(lab, type, size, settings) { return lab SUBSEP type SUBSEP size SUBSEP settings }

# part(values, cell, q): the quantile q of a cell's repetitions.
function part(values, cell, q,    i, v) {
    for (i = 1; i <= count[cell]; i++) v[i] = values[cell, i]
    sorted(v, count[cell])
    return quantile(v, count[cell], q)
}

function median(cell) { return cell in count ? part(ms, cell, 0.5) : 0 }

function spread(cell) { return 100 * (part(ms, cell, 0.75) - part(ms, cell, 0.25)) / median(cell) }

# Three significant digits, none of them as 1e+05.
function figure(x) { return x == 0 ? "0" : x >= 100 ? sprintf("%.0f", x) : sprintf(x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : x >= 0.1 ? "%.3f" : "%.4f", x) }

function gflops(cell,    key) { split(cell, key, SUBSEP); return 2e-6 * key[3] ^ 3 / median(cell) }

# The peak of the instructions that the lab uses, as it stands in its rows; otherwise the device's.
function of_peak(cell, backend,    key, top) {
    key = backend SUBSEP device_of[cell] SUBSEP "float"
    top = peak_of[cell] > 0 ? peak_of[cell] : key in ceiling ? ceiling[key] + 0 : 0
    return top > 0 ? sprintf("%.1f %%", 100 * gflops(cell) / top) : "-"
}

function times(x, y) { return x > 0 && y > 0 ? figure(x / y) : "-" }

# ---- text ---------------------------------------------------------------------------------------
function write(name, text) { printf "%s", text >(out "/" name); close(out "/" name) }

# Why a cell is empty, as the letter of a note below the table.
function note(reason) {
    if (reason == "") return "-"
    if (!(reason in letter)) {
        letter[reason] = "(" (notes < 26 ? "" : sprintf("%c", 96 + int(notes / 26))) sprintf("%c", 97 + notes % 26) ")"
        noted[++notes] = letter[reason] " " reason
    }
    return letter[reason]
}

function time(cell) { return cell in count ? sprintf("%s (%.0f %%)", figure(median(cell)), spread(cell)) : note(why[cell]) }

function plain(cell) { return cell in count ? figure(median(cell)) : note(why[cell]) }

function begin_table() { notes = 0; split("", letter); return "" }

function end_table(name, text,    i) {
    for (i = 1; i <= notes; i++) text = text "\n" noted[i] "\n"
    write(name, text)
}

function head(first, columns, left,    i, line, rule, column, n) { # columns separated by |
    n = split(columns, column, "|")
    line = "| " first " |"
    rule = "|---|"
    for (i = 1; i <= n; i++) {
        line = line " " column[i] " |"
        rule = rule (i < left + 0 ? "---|" : "---:|")
    }
    return line "\n" rule "\n"
}

# The size of the ladder, as tools/report/plots chooses it: where most labs have a time for their own
# kernel, and of several such sizes the largest.
function ladder_size(backend,    i, s, timed, most, best) {
    best = sizes[backend, 1]
    for (s = 1; s <= size_count[backend]; s++) {
        timed = 0
        for (i = 1; i <= lab_count[backend]; i++)
            timed += own[labs[backend, i]] && id(labs[backend, i], "float", sizes[backend, s], "") in count
        if (timed > most || (timed == most && sizes[backend, s] + 0 > best + 0)) { most = timed; best = sizes[backend, s] }
    }
    return best
}

# ---- tables -------------------------------------------------------------------------------------
function size_table(name, backend, types,    text, i, s, t, line, type, n) {
    text = begin_table()
    for (s = 1; s <= size_count[backend]; s++) line = line (s > 1 ? "|" : "") "N=" sizes[backend, s]
    text = head("ms (spread)", line)
    n = split(types, type, " ")
    for (i = 1; i <= lab_count[backend]; i++)
        for (t = 1; t <= n; t++) {
            if (!((labs[backend, i], type[t]) in planned)) continue
            line = "| " labs[backend, i] (n > 1 ? ", " type[t] : "") " |"
            for (s = 1; s <= size_count[backend]; s++)
                line = line " " time(id(labs[backend, i], type[t], sizes[backend, s], "")) " |"
            text = text line "\n"
        }
    end_table(name, text)
}

# Labs whose name matches, over their tunables, a row for each size.
function tunable_table(name, backend, pattern,    text, i, s, t, lab, line, first) {
    text = begin_table()
    for (i = 1; i <= lab_count[backend]; i++) {
        lab = labs[backend, i]
        if (lab !~ pattern || tunables_count[lab] == 0) continue
        if (!first++) {
            for (t = 1; t <= tunables_count[lab]; t++) line = line (t > 1 ? "|" : "") tunables[lab, t]
            text = text head("ms (spread)", line)
        }
        for (s = 1; s <= tuned_count[lab]; s++) {
            line = "| " lab ", N=" tuned[lab, s] " |"
            for (t = 1; t <= tunables_count[lab]; t++)
                line = line " " time(id(lab, "float", tuned[lab, s], tunables[lab, t])) " |"
            text = text line "\n"
        }
    }
    end_table(name, text)
}

function sweep_table(name, backend,    text, i, s, t, lab, cell) {
    text = begin_table() head("lab", "N|tunables|ms|GFLOP/s|spread", 3)
    for (i = 1; i <= lab_count[backend]; i++) {
        lab = labs[backend, i]
        for (s = 1; s <= tuned_count[lab]; s++)
            for (t = 1; t <= tunables_count[lab]; t++) {
                cell = id(lab, "float", tuned[lab, s], tunables[lab, t])
                text = text sprintf("| %s | %s | %s | %s | %s | %s |\n", lab, tuned[lab, s], tunables[lab, t], plain(cell),
                    cell in count ? figure(gflops(cell)) : "-", cell in count ? sprintf("%.0f %%", spread(cell)) : "-")
            }
    }
    end_table(name, text)
}

function ladder(name, backend,    text, i, size, cell, lab, folder, last, before, this) {
    size = ladder_size(backend)
    text = begin_table() head("lab, N=" size, "ms|GFLOP/s|spread|% of peak|x lab before")
    for (i = 1; i <= lab_count[backend]; i++) {
        lab = labs[backend, i]
        cell = id(lab, "float", size, "")
        folder = lab
        sub(/, .*/, "", folder)
        if (folder != last) { before = this; last = folder } # its steps come before its own kernel
        if (own[lab]) this = median(cell)
        text = text sprintf("| %s | %s | %s | %s | %s | %s |\n", lab, plain(cell),
            cell in count ? figure(gflops(cell)) : "-", cell in count ? sprintf("%.0f %%", spread(cell)) : "-",
            of_peak(cell, backend),
            times(before, median(cell)))
    }
    end_table(name, text)
}

# Where the time of a cell goes.
function part_row(lab, size, settings, first, with_build,    cell) {
    cell = id(lab, "float", size, settings)
    if (!(cell in count)) return "| " lab " | " size " | " first note(why[cell]) (with_build ? " | -" : "") " | - | - | - | - |\n"
    timed_parts++
    return "| " lab " | " size " | " first figure(median(cell)) " | " figure(part(h2d, cell, 0.5)) " | " \
        figure(part(d2h, cell, 0.5)) " | " figure(alloc[cell]) " | " (with_build ? figure(build[cell]) " | " : "") \
        figure(context[cell]) " |\n"
}

function end_parts(name, header, rows) {
    if (timed_parts) end_table(name, header rows)
    else write(name, "*(no times" (notes ? ": " substr(noted[1], 5) : "") ")*\n")
}

function opencl_parts(    header, rows, i, s, lab) {
    timed_parts = 0
    header = begin_table() head("lab, ms", "N|kernel|host to device|device to host|allocation|program build|context")
    for (i = 1; i <= lab_count["opencl"]; i++) {
        lab = labs["opencl", i]
        for (s = 1; s <= size_count["opencl"]; s++)
            if (own[lab]) rows = rows part_row(lab, sizes["opencl", s], "", "", 1)
    }
    end_parts("opencl-parts", header, rows)
}

function cuda_parts(    header, rows, i, s, t, lab) {
    timed_parts = 0
    header = begin_table() head("lab, ms", "N|BLOCK|kernel|host to device|device to host|cudaMalloc|context")
    for (i = 1; i <= lab_count["cuda"]; i++) {
        lab = labs["cuda", i]
        for (s = 1; s <= tuned_count[lab]; s++)
            for (t = 1; t <= tunables_count[lab]; t++)
                if (own[lab]) rows = rows part_row(lab, tuned[lab, s], tunables[lab, t], substr(tunables[lab, t], 7) " | ", 0)
    }
    end_parts("cuda-parts", header, rows)
}

function cuda_blocks(    text, s, t, a, b, lab, size, block, grid) {
    lab = "lab08_cuda_naive"
    text = begin_table() head("N", "BLOCK|blocks in the grid|" lab ", ms (spread)|lab09_cuda_shared, ms (spread)|times as fast")
    for (s = 1; s <= tuned_count[lab]; s++)
        for (t = 1; t <= tunables_count[lab]; t++) {
            size = tuned[lab, s]
            block = substr(tunables[lab, t], 7)
            grid = int((size - 1) / block) + 1
            a = id(lab, "float", size, tunables[lab, t])
            b = id("lab09_cuda_shared", "float", size, tunables[lab, t])
            text = text sprintf("| %s | %s | %s x %s | %s | %s | %s |\n", size, block, grid, grid, time(a), time(b), times(median(a), median(b)))
        }
    end_table("cuda-blocks", text)
}

# The part of a device's facts that matches, without the word.
function of_facts(text, pattern,    i, n, parts, found) {
    sub(/^[^(]*[(]/, "", text)
    sub(/[)]$/, "", text)
    n = split(text, parts, ", ")
    for (i = 1; i <= n; i++)
        if (parts[i] ~ pattern) { found = parts[i]; sub(pattern, "", found); sub(/^ +/, "", found); sub(/ +$/, "", found); return found }
    return "-"
}

function ceiling_of(backend, type, which,    key, c) {
    key = backend SUBSEP device_name(fact[backend]) SUBSEP type
    if (!(key in ceiling)) return "-"
    split(ceiling[key], c, "\t")
    return figure(c[which])
}

function device_row(what, cpu, opencl, cuda) { return "| " what " | " cpu " | " opencl " | " cuda " |\n" }

function two_words(text,    word) { split(text, word, " "); return word[1] (word[2] == "" ? "" : " " word[2]) }

function by_pattern(what, pattern) { return device_row(what, of_facts(fact["cpu"], pattern), of_facts(fact["opencl"], pattern), of_facts(fact["cuda"], pattern)) }

function by_ceiling(what, type, which) {
    return device_row(what, ceiling_of("cpu", type, which), ceiling_of("opencl", type, which), ceiling_of("cuda", type, which))
}

function device_name(text) { sub(/ [(](CPU|GPU|no device).*/, "", text); return text == "" ? "-" : text }

function device(    text) {
    text = head("device data", "CPU|OpenCL device|CUDA device", 9)
    text = text device_row("name", device_name(fact["cpu"]), device_name(fact["opencl"]), device_name(fact["cuda"]))
    text = text device_row("OpenCL or CUDA version", "-", two_words(of_facts(fact["opencl"], "^OpenCL")), of_facts(fact["cuda"], "driver for CUDA"))
    text = text device_row("compute capability", "-", "-", of_facts(fact["cuda"], "compute capability"))
    text = text by_pattern("cores, compute units or multiprocessors", "cores$|compute units$|multiprocessors$")
    text = text by_pattern("clock in MHz", "MHz$")
    text = text by_pattern("memory in MiB", "MiB of memory$")
    text = text device_row("caches", fact["caches"], "-", "-")
    text = text by_pattern("local or shared memory of a group, in KiB", "KiB of (local|shared) memory( for a block)?$")
    text = text by_pattern("largest work-group or block", "(work-group|block) limit")
    text = text device_row("driver", "-", of_facts(fact["opencl"], "^driver"), fact["CUDA driver"] == "" ? "-" : fact["CUDA driver"])
    text = text by_ceiling("measured peak, float, GFLOP/s", "float", 1)
    text = text by_ceiling("measured peak, double, GFLOP/s", "double", 1)
    text = text by_ceiling("measured bandwidth, GB/s", "float", 2)
    write("device", text)
}

function provenance(    text, i, name) {
    text = head("what", "value", 9)
    for (i = 1; i <= facts; i++) {
        name = fact_name[i]
        if (name !~ /^(cpu|caches|opencl|cuda)$/)
            text = text "| " name (name ~ /^(commit|date)$/ ? " of the last measurement" : "") " | " fact[name] " |\n"
    }
    write("provenance", text)
}

function defaults(    text, i) {
    text = head("lab", "tunables, unless others are named", 9)
    for (i = 1; i <= program_count; i++) text = text "| " programs[i] " | " default_of[programs[i]] " |\n"
    write("defaults", text)
}

# Settings that were timed as the default and again in a sweep: how far apart the two series are.
function twice(    text, b, cell, key, other, apart, n) {
    text = head("the same, timed twice", "settings|median of the differences|largest")
    for (b = 1; b <= 3; b++) {
        n = 0
        for (cell in count) {
            split(cell, key, SUBSEP)
            other = id(key[1], key[2], key[3], default_of[key[1]])
            if (backend_of[key[1]] != backends[b] || key[4] != "" || other == cell || !(other in count)) continue
            apart[++n] = median(cell) / median(other)
            if (apart[n] < 1) apart[n] = 1 / apart[n]
        }
        sorted(apart, n)
        if (n) text = text sprintf("| %s | %d | %.0f %% | %.0f %% |\n", titles[b], n, 100 * quantile(apart, n, 0.5) - 100, 100 * apart[n] - 100)
    }
    write("twice", text ~ /%/ ? text : "*(nothing was timed twice)*\n")
}

function predict(backend,    i, lab, size, cell, number, before, this, bytes) {
    size = ladder_size(backend)
    for (i = 1; i <= lab_count[backend]; i++) {
        lab = labs[backend, i]
        if (!own[lab] || size == "") continue
        cell = id(lab, "float", size, "")
        number = "predict-" substr(lab, 1, 5)
        before = this
        this = median(cell)
        bytes = 3 * 4 * size ^ 2
        write(number "-work", (measured[backend] ? figure(2e-9 * size ^ 3) " (N=" size ")" : "-") "\n")
        write(number "-bytes", (measured[backend] ? figure(bytes / 1e6) : "-") "\n")
        write(number "-intensity", (measured[backend] ? figure(2 * size ^ 3 / bytes) : "-") "\n")
        write(number "-gflops", this > 0 ? sprintf("%s (spread %.0f %%)\n", figure(gflops(cell)), spread(cell)) : "not measured: " why[cell] "\n")
        write(number "-speedup", (i == 1 ? "- (the first)" : times(before, this)) "\n")
    }
}

function plot(name, caption,    file, line) {
    file = plots "/" name ".svg"
    line = (getline line <file) > 0 ? "![" caption "](plots/" name ".svg)" : "*(no plot: " (gnuplot == "" ? "gnuplot is missing" : "there are no times for it: the tables say why") ")*"
    close(file)
    write("plot-" name, line "\n")
}

END {
    # What is not set becomes a string here: gawk 5.2 frees an unset parameter twice in sub().
    fact["cpu"] = fact["cpu"] ""
    fact["opencl"] = fact["opencl"] ""
    fact["cuda"] = fact["cuda"] ""
    split("cpu opencl cuda", backends, " ")
    split("CPU OpenCL CUDA", titles, " ")
    provenance()
    defaults()
    twice()
    device()
    for (b = 1; b <= 3; b++) {
        ladder("ladder-" backends[b], backends[b])
        predict(backends[b])
        plot("time-" backends[b], titles[b] " labs: time of a kernel over the size. Both axes are logarithmic, so N³ is a straight line, as steep as the dotted one.")
        plot("ladder-" backends[b], titles[b] " labs: speed-up over the first of them, variants beside their lab.")
        plot("roofline-" backends[b], titles[b] " labs under the roofline of the device, by the FLOP per byte that each kernel asks of memory. Above the slope lies what caches answer instead of memory.")
    }
    size_table("cpu-sizes", "cpu", "float")
    size_table("opencl-sizes", "opencl", "float double")
    size_table("cuda-sizes", "cuda", "float")
    tunable_table("cpu-blocks", "cpu", "^lab03")
    tunable_table("opencl-tiles", "opencl", "^lab07.*, tile")
    sweep_table("opencl-sweeps", "opencl")
    opencl_parts()
    cuda_blocks()
    cuda_parts()
    plot("sweep-lab03", "Lab 03: speed over the edge of the block.")
    plot("sweep-lab04", "Lab 04: speed over the shape of the work-group.")
    plot("sweep-lab05", "Lab 05: speed over the columns for each work-item.")
    plot("sweep-lab06", "Lab 06: speed over the register tile, rows by columns.")
    plot("sweep-lab07", "Lab 07: speed over the depth of the tiles, and over the edge of the square tiles of the tile variant.")
    plot("sweep-lab08", "Lab 08: speed over the edge of the block, a line for each size.")
    plot("sweep-lab09", "Lab 09: speed over the edge of the block, a line for each size.")
    plot("parts-opencl", "OpenCL labs: where the time goes, from allocation to the result.")
    plot("parts-cuda", "CUDA labs: where the time goes, from allocation to the result.")
}
