-- SPDX-License-Identifier: MIT
-- What tools/report/pages does to a report between pandoc's reading and its writing: images come into
-- the page, HTML that could do or fetch something goes, plots become figures, tables get a frame.

local function say(text)
    io.stderr:write('pages: report.md: ' .. text .. '\n')
end

local left_out = {}

local function raw_html(element)
    local tag = element.text:match('^<(%a[%w-]*)')
    if tag and not left_out[tag] then
        left_out[tag] = true
        say('<' .. tag .. '> is left out of the pages: they are for reading, and fetch and run nothing')
    end
    return {}
end

-- Attributes may hold scripts, or styles that fetch.
local function plain(element)
    element.attributes = {}
    return element
end

local function link(element)
    local scheme = element.target:match('^%s*(%a[%w+.-]*):')
    if scheme and not ({http = true, https = true, mailto = true})[scheme:lower()] then
        say('the link to ' .. scheme .. ': is left out of the pages: they are for reading, and run nothing')
        return element.content
    end
    return plain(element)
end

-- By its first bytes, as a name may end in anything.
local function kind(bytes)
    return bytes:find('^\137PNG') and 'png'
        or bytes:find('^\255\216\255') and 'jpeg'
        or bytes:find('^GIF8') and 'gif'
        or bytes:find('^RIFF....WEBP') and 'webp'
        or bytes:find('<svg[%s>]') and 'svg+xml'
end

-- gnuplot's drawings, without what weasyprint 57 cannot do. A point is a <use> of a shape in the current
-- colour: it gets its shape, in its colour. A solid fill is a pattern, with gaps: it gets the colour.
local function plain_drawing(svg)
    local shapes = {}
    for element, id in svg:gmatch("(<%a+ [^>]-id='(gp%w+)'[^>]*/>)") do
        shapes[id] = element:gsub(" id='[^']*'", '')
    end
    local function point(id, attributes)
        local shape = (shapes[id] or ''):gsub("<use xlink:href='#(gp%w+)'([^>]*)/>", point)
        local colour = attributes:match(" color='([^']*)'")
        return '<g' .. attributes .. '>' .. (colour and shape:gsub('currentColor', colour) or shape) .. '</g>'
    end
    svg = svg:gsub("<use xlink:href='#(gp%w+)'([^>]*)/>", point)
    for id, colour in svg:gmatch("<pattern id='(gpPat%d+)'[^>]*>%s*<path style='stroke:none; fill:(rgb%b())'") do
        svg = svg:gsub('url%(#' .. id .. '%)', colour)
    end
    return svg
end

local function data_of(image) -- as a data: URI, or nothing and what is wrong
    local name = image.src
    if name:find('^data:image/') then
        return name
    elseif name:find('^%a[%w+.-]*:') or name:find('^//') then
        return nil, 'is elsewhere, and is not fetched: save it in the folder of the report and name it so'
    end
    local plain = name:gsub('%%(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end)
    local file = io.open(plain, 'rb') or io.open(name, 'rb')
    local bytes = file and file:read('*a') -- nothing, if it is a folder
    if not bytes then
        return nil, 'is not there, or may not be read: is its name right, as seen from report.md?'
    end
    local type = kind(bytes)
    if not type then
        return nil, 'is no image that a browser shows: save it as PNG, JPEG or SVG'
    elseif type == 'svg+xml' then
        bytes = plain_drawing(bytes)
    end
    return 'data:image/' .. type .. ';base64,' .. pandoc.pipe('base64', {}, bytes):gsub('%s', '')
end

local function embed(image)
    local data, wrong = data_of(image)
    if not data then
        say('the image ' .. image.src .. ' ' .. wrong)
        local place = pandoc.Emph({pandoc.Str('(no image here: ' .. image.src .. ')')})
        local text = pandoc.List({place, pandoc.Space()})
        text:extend(image.caption)
        return text
    end
    local size = {width = image.attributes.width, height = image.attributes.height}
    return pandoc.Image(image.caption, data, '', pandoc.Attr('', {}, size))
end

-- A paragraph that is one image with a caption is a figure. Its caption is the alt text, too. One that begins
-- with bold words is a question.
local function figure_or_question(paragraph)
    local content = pandoc.List(paragraph.content):filter(function(inline)
        return inline.t ~= 'Space' and inline.t ~= 'SoftBreak'
    end)
    if #content == 0 then -- it was only comments
        return {}
    elseif content[1].t == 'Strong' then -- on paper, its answer begins on the same page
        return pandoc.Div({paragraph}, pandoc.Attr('', {'question'}))
    elseif #content == 1 and content[1].t == 'Image' and #content[1].caption > 0 then
        return {
            pandoc.RawBlock('html', '<figure>'),
            pandoc.Plain(content),
            pandoc.RawBlock('html', '<figcaption aria-hidden="true">'),
            pandoc.Plain(content[1].caption),
            pandoc.RawBlock('html', '</figcaption></figure>'),
        }
    end
end

-- In a frame, which scrolls where the table is wider than the screen. On paper, a wide table gets a smaller
-- type or a page across, and a short one stays on one page.
local function framed(table)
    local columns = #table.colspecs
    local width = columns > 10 and 'widest' or columns > 6 and 'wide' or 'narrow'
    local rows = 0
    for _, body in ipairs(table.bodies) do rows = rows + #body.body end
    local height = rows > 15 and 'long' or 'short'
    return pandoc.Div({table}, pandoc.Attr('', {'table', width, height}, {tabindex = '0'}))
end

local function plain_code(block)
    block.classes = {}
    return plain(block)
end

-- The title, and what stands below it, come before the table of contents.
local function title(document)
    document.meta.pagetitle = 'Report'
    local heading = document.blocks[1]
    if heading and heading.t == 'Header' and heading.level == 1 then
        document.meta.pagetitle = pandoc.utils.stringify(heading.content)
        document.meta.title = pandoc.MetaInlines(heading.content)
        document.blocks:remove(1)
        local preface = pandoc.List({})
        while document.blocks[1] and document.blocks[1].t ~= 'Header' do
            preface:insert(document.blocks:remove(1))
        end
        document.meta.preface = pandoc.MetaBlocks(preface)
    end
    return document
end

return {
    {RawInline = raw_html, RawBlock = raw_html, Image = embed, Link = link, Span = plain, Div = plain, Header = plain,
        Code = plain, Table = plain},
    {Para = figure_or_question, Table = framed, CodeBlock = plain_code, Pandoc = title},
}
