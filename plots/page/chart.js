'use strict';
// Charts and tables of all pages, drawn as SVG from numbers. Names are data: they become text nodes only.
//   chart(figure, {title, alt, x, y, series, ceiling, marks}) draws curves, points or bars;
//   arrows(figure, {title, alt, x, rows}) draws an arrow for each {name, from, to, harmed};
//   sortable(table) makes the headings of a table buttons that sort it;
//   save(figure, 'svg' | 'png' | 'csv', name, about) downloads a drawing or its numbers; about has pairs of words
//   that say what they are of. The numbers are a table.
// An axis is {label, unit, min, max, percent, time, log, whole, categories}; an end that is missing fits the
// data. Categories are read from top to bottom. A second call on a figure replaces its data.
const {chart, arrows, sortable, save} = (() => {
  const space = 'http://www.w3.org/2000/svg';
  const colors = 8; // --c1 to --c8 of the style sheet
  const dashes = ['', '7 3', '2 3', '9 3 2 3', '13 4', '5 2 1 2', '9 2 2 2 2 2', '1.5 4'];
  const shapes = ['M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z', 'M-3-3h6v6h-6z', 'M0-4.2l4.2 7.4h-8.4z',
    'M0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z', 'M0 4.2l4.2-7.4h-8.4z', 'M-4.4-1.5h8.8v3h-8.8z', 'M-1.5-4.4h3v8.8h-3z',
    'M-4.2-1.4h2.8v-2.8h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8z'];
  const margin = {top: 24, right: 14, bottom: 42};
  const stages = new WeakMap(); // by figure
  let count = 0; // of stages, for unique ids

  const fill = (element, attributes, children = []) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes = {}, ...children) =>
    fill(document.createElementNS(space, name), attributes, children);
  const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
  const write = (text, x, y, anchor, kind) => draw('text', {x, y, 'text-anchor': anchor, class: kind}, text);
  const finite = x => typeof x === 'number' && Number.isFinite(x);
  const longest = names => Math.max(2, ...names.map(name => name.length));
  const letter = 6.5; // width of a letter in pixels, about
  const fit = (text, width) => text.length * letter <= width ? text
    : text.slice(0, Math.max(2, Math.floor(width / letter) - 1)) + '…';

  const formats = new Map();
  const format = (x, options) => {
    const key = JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Intl.NumberFormat('en-US', options));
    return formats.get(key).format(x);
  };
  // number shows four digits, and all of those before the point.
  const number = x => Math.abs(x) >= 1e12 ? x.toExponential(3)
    : format(x, Math.abs(x) >= 1000 ? {maximumFractionDigits: 0} : {maximumSignificantDigits: 4});
  const units = {ms: 0.001, s: 1, min: 60, h: 3600, d: 86400, years: 31557600};
  const timeUnit = seconds => ['years', 'd', 'h', 'min'].find(unit => Math.abs(seconds) >= 2 * units[unit]) ?? 's';
  // clock has the round times of a logarithmic axis: 1 s, 10 s, 1 min, 10 min, 1 h, ...
  const clock = Object.entries(units).flatMap(([unit, size], k, all) => [1, 10, 100, 1000, 1e4, 1e5]
    .map(n => ({x: n * size, text: `${format(n, {})} ${n === 1 ? unit.replace('years', 'year') : unit}`}))
    .filter(({x}) => x < (all[k + 1]?.[1] ?? Infinity)));
  const words = (axis, x) => {
    if (axis.categories) return axis.categories[x] ?? '';
    if (axis.percent) return number(100 * x) + ' %';
    const unit = axis.time ? timeUnit(x) : axis.unit;
    return number(axis.time ? x / units[unit] : x) + (unit ? ' ' + unit : '');
  };

  // steps returns round numbers from low to high, at most so many, and the distance between them.
  const steps = (low, high, most, whole) => {
    const raw = Math.max((high - low) / Math.max(most, 1), whole ? 1 : 0);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find(m => m * power >= raw * (1 - 1e-9)), list = [];
    for (let i = Math.ceil(low / step - 1e-6); i * step <= high + 1e-6 * step; i++) list.push(i * step);
    return {list, step};
  };
  // scale maps the numbers of an axis to pixels: {at, ticks: [{x, text}], label}. Free ends of a roomy axis
  // become round numbers.
  const scale = (axis, values, [from, to], most, roomy) => {
    const known = values.filter(x => finite(x) && (!axis.log || x > 0));
    let low = axis.min ?? known.reduce((a, b) => Math.min(a, b), Infinity);
    let high = axis.max ?? known.reduce((a, b) => Math.max(a, b), -Infinity);
    if (axis.categories) [low, high] = [-0.5, axis.categories.length - 0.5];
    if (low > high) [low, high] = axis.log ? [0.1, 1] : [0, 1];
    if (roomy && !finite(axis.min) && !axis.log && low > 0 && low < 0.75 * high) low = 0;
    const below = finite(axis.min) ? 0 : 0.5; // of a constant
    if (low === high) [low, high] = axis.log ? [low / 2, low * 2] : [low - below, low + 0.5];
    const unit = axis.time ? timeUnit(high) : axis.unit, size = axis.percent ? 0.01 : axis.time ? units[unit] : 1;
    const decades = axis.log && high / low > (axis.time ? 100 : 20), free = roomy && !axis.log;
    let ticks = [];
    if (axis.categories) {
      ticks = axis.categories.map((text, x) => ({x, text}));
    } else if (decades) {
      const within = x => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9);
      if (axis.time) ticks = clock.filter(tick => within(tick.x));
      for (let power = Math.floor(Math.log10(low)); !axis.time && power <= Math.log10(high) + 1e-9; power++) {
        const round = (high / low > 300 ? [1] : [1, 2, 5]).map(m => m * 10 ** power).filter(within);
        ticks.push(...round.map(x => ({x, text: words(axis, x)})));
      }
      ticks = ticks.filter((tick, i) => i % Math.ceil(ticks.length / Math.max(most, 2)) === 0);
    } else {
      const {step} = steps(low / size, high / size, most, axis.whole);
      if (free && !finite(axis.min)) low = Math.floor(low / size / step + 1e-6) * step * size;
      if (free && !finite(axis.max)) high = Math.ceil(high / size / step - 1e-6) * step * size;
      const {list} = steps(low / size, high / size, (high - low) / size / step, axis.whole);
      const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
      const options = Math.max(...list.map(Math.abs)) >= 1e7 ? {notation: 'compact', maximumSignificantDigits: 4}
        : {minimumFractionDigits: digits, maximumFractionDigits: digits};
      ticks = list.map(x => ({x: x * size, text: format(x || 0, options) + (axis.percent ? ' %' : '')}));
    }
    const share = axis.log ? x => Math.log(x / low) / Math.log(high / low) : x => (x - low) / (high - low);
    return {ticks, label: (axis.label ?? '') + (unit && !decades ? ` (${unit})` : ''),
      at: x => Math.round(10 * Math.max(-1e4, Math.min(1e4, from + (to - from) * share(x)))) / 10};
  };

  // stage gives a figure its drawing, tip and legend, instead of a picture for pages without scripts. paint
  // sets keys, the entries of the legend; stops, where pointer and arrow keys show numbers; near, the distance of a stop from the pointer; tell, the words and marks of a stop; and rows,
  // the numbers as a table.
  const stage = (figure, paint, data) => {
    if (stages.has(figure)) return Object.assign(stages.get(figure), {paint, data}).draw();
    const svg = draw('svg', {class: 'drawing', role: 'img', tabindex: 0});
    const tip = html('div', {class: 'tip', role: 'status', hidden: ''}), legend = html('div', {class: 'legend'});
    const box = html('div', {class: 'chart'}, svg, tip, legend), still = figure.querySelector(':scope > svg');
    if (still) still.replaceWith(box); else figure.insertBefore(box, figure.querySelector(':scope > figcaption'));
    const s = {id: 'chart' + ++count, svg, tip, legend, box, hidden: new Set(), at: -1, paint, data};
    s.draw = () => {
      s.width = Math.max(240, box.clientWidth || 640);
      s.paint(s);
      name(s);
      show(s, s.at < s.stops.length ? s.at : -1);
      return s;
    };
    s.draw();
    let drawn = box.clientWidth;
    new ResizeObserver(() => requestAnimationFrame(() => {
      if (!box.clientWidth || box.clientWidth === drawn) return;
      drawn = box.clientWidth;
      s.draw();
    })).observe(box);
    const point = event => {
      const frame = svg.getBoundingClientRect();
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      const near = s.stops.map(stop => s.near(stop, x, y));
      show(s, near.indexOf(Math.min(...near)), y);
    };
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
    svg.addEventListener('pointerleave', event => event.pointerType === 'touch' || show(s, -1));
    svg.addEventListener('blur', () => show(s, -1));
    svg.addEventListener('focus', () => s.stops.length && svg.matches(':focus-visible') && show(s, 0));
    svg.addEventListener('keydown', event => {
      const last = s.stops.length - 1, fixed = {Home: 0, End: last, Escape: -1}[event.key];
      const move = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1}[event.key];
      if (fixed === undefined && !move || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(s, fixed ?? Math.min(last, Math.max(0, s.at + move)));
    });
    stages.set(figure, s);
    return s;
  };
  // show moves the cursor to a stop and writes its numbers into the tip; -1 takes both away.
  const show = (s, at, y = 0) => {
    s.at = at;
    s.svg.querySelector('.cursor')?.remove();
    s.tip.hidden = at < 0;
    if (at < 0) return;
    const {head, lines, marks} = s.tell(s.stops[at], y);
    s.tip.replaceChildren(html('strong', {}, head), ...lines.map(({text, look}) =>
      html('div', look === undefined ? {} : {class: 'keyed', style: tint({look})}, text)));
    s.tip.classList.toggle('right', s.stops[at].x > s.width / 2);
    s.svg.append(draw('g', {class: 'cursor'}, ...marks));
  };

  // name writes the legend: buttons that hide and show. A double click hides all others.
  const name = s => {
    const names = JSON.stringify(s.keys.map(key => [key.name, key.look, key.kind]));
    if (s.names !== names) {
      s.legend.replaceChildren(...s.keys.map(key => {
        const title = 'hide or show; double click: only this';
        const button = html('button', {type: 'button', class: 'key', title}, swatch(s, key));
        button.append(html('span', {}, key.name));
        button.addEventListener('pointerenter', () => isolate(s, key));
        button.addEventListener('pointerleave', () => isolate(s));
        const press = hide => () => { hide(); s.draw(); };
        button.addEventListener('click', press(() => s.hidden.delete(key.name) || s.hidden.add(key.name)));
        button.addEventListener('dblclick', press(() => {
          s.hidden = new Set(s.keys.map(other => other.name).filter(other => other !== key.name));
        }));
        return button;
      }));
    }
    s.names = names;
    s.keys.forEach((key, i) => s.legend.children[i].setAttribute('aria-pressed', !s.hidden.has(key.name)));
  };
  const swatch = (s, key) => {
    const svg = draw('svg', {class: 'swatch', width: 28, height: 12, viewBox: '0 0 28 12', 'aria-hidden': true});
    if (key.kind === 'ceiling') svg.append(draw('rect', {width: 28, height: 12, fill: `url(#${s.id}hatch)`}));
    if (key.kind === 'ceiling') svg.append(draw('path', {d: 'M0 11H28', class: 'edge'}));
    else if (key.kind === 'bars') svg.append(draw('path', {d: 'M6 0h16v12h-16z', class: 'bar', style: tint(key)}));
    else if (key.kind !== 'points') svg.append(draw('path', {d: 'M0 6H28', ...strokes(key)}));
    if (['line', 'step', 'points'].includes(key.kind) && !key.dashed && !key.behind) svg.append(marker(key, 14, 6));
    return svg;
  };
  const tint = ({look}) => `--c:var(--c${look % colors + 1})`;
  const strokes = ({look, dashed, behind}) => ({class: behind ? 'line behind' : dashed ? 'line model' : 'line',
    style: tint({look}), 'data-look': look, 'stroke-dasharray': behind ? dashes[0]
      : dashes[dashed ? 1 + look % 7 : (look + Math.floor(look / colors)) % dashes.length]});
  // isolate lets all curves but one fade.
  const isolate = (s, key) => s.svg.querySelectorAll('.line').forEach(curve =>
    curve.classList.toggle('faint', Boolean(key) && curve.dataset.look !== String(key.look)));
  const marker = ({look}, x, y) => draw('path', {class: 'dot', style: tint({look}),
    transform: `translate(${x} ${y})`, d: shapes[(look + 3 * Math.floor(look / colors)) % shapes.length]});

  // begin empties the drawing and draws axes around an area.
  const begin = (s, height, bottom, left, {x, y, width, height: tall}) => {
    s.height = height;
    const alt = s.data.alt ?? s.data.title ?? '';
    fill(s.svg, {viewBox: `0 0 ${s.width} ${height}`, 'aria-label': alt + ' Arrow keys show numbers.'});
    s.svg.replaceChildren(draw('defs', {}, draw('pattern', {id: s.id + 'hatch', width: 7, height: 7,
      patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
    draw('rect', {width: 7, height: 7, class: 'shade'}), draw('path', {d: 'M0 0V7', class: 'hatch'})),
    draw('clipPath', {id: s.id + 'clip'}, draw('rect', {x: x - 5, y, width: width + 10, height: tall}))));
    for (const tick of bottom.ticks) {
      const at = bottom.at(tick.x), most = s.width - 1 - 3.6 * tick.text.length;
      s.svg.append(draw('path', {class: 'grid', d: `M${at} ${y}v${tall}`}),
        write(tick.text, Math.min(at, most), y + tall + 16, 'middle', 'tick'));
    }
    for (const tick of left.ticks) {
      const at = left.at(tick.x);
      s.svg.append(draw('path', {class: 'grid', d: `M${x} ${at}h${width}`}),
        write(fit(tick.text, x - 8), x - 7, at + 4, 'end', 'tick'));
    }
    s.svg.append(draw('path', {class: 'axis', d: `M${x} ${y}v${tall}h${width}`}),
      write(fit(bottom.label, s.width), x + width, y + tall + 34, 'end', 'label'),
      write(fit(left.label, s.width), 2, 12, 'start', 'label'));
  };
  // runs lists the places of points, cut where a number is missing.
  const runs = (...lists) => lists[0].reduce((all, _, i) => {
    if (lists.every(list => finite(list[i]))) all.at(-1).push(i); else all.push([]);
    return all;
  }, [[]]).filter(run => run.length);
  const path = (points, close = '') => 'M' + points.map(p => p.join(' ')).join('L') + close;

  // tidy are the columns of a table of estimates; estimate is its cells for a number of an axis.
  const tidy = cases => [...cases, 'metric', 'mean', 'half_width', 'low', 'high', 'unit'];
  const unitOf = axis => axis.unit || (axis.time ? 's' : axis.percent ? 'share' : '');
  const estimate = (axis, mean, low, high) => {
    const half = finite(low) && finite(high) && Math.abs(low + high - 2 * mean) <= 1e-9 * (high - low);
    return [axis.label || 'value', mean, half ? (high - low) / 2 : '', low, high, unitOf(axis)];
  };
  const plain = label => (label ?? '').toLowerCase().replace(/\W+/g, '_') || 'x'; // the name of a column

  const paintChart = s => {
    const {x: across, y: up, ceiling} = s.data, marks = s.data.marks ?? [], lying = Boolean(across.categories);
    const all = s.data.series.map((one, i) => ({kind: 'line', look: i, ...one}));
    if (ceiling) all.push({...ceiling, look: 0, kind: 'ceiling'});
    s.keys = all.filter(one => one.name);
    const shown = all.filter(one => !s.hidden.has(one.name)), bars = shown.filter(one => one.kind === 'bars');
    const xs = [...new Set(shown.flatMap(one => one.x))].filter(finite).sort((a, b) => a - b);
    const ys = shown.flatMap(one => one.kind === 'ceiling' ? one.y.map(y => y && y + 0.06 * Math.abs(y))
      : [...one.y, ...(one.low ?? []), ...(one.high ?? [])]).concat(marks.map(mark => mark.y), bars.map(() => 0));
    // Bars of one place lie side by side; series that share no place have one lane.
    const beside = a => bars.filter(one => finite(one.y[one.x.indexOf(a)]));
    const lanes = Math.max(1, ...xs.map(a => beside(a).length));
    const height = lying ? 60 + across.categories.length * Math.max(26, 8 + 15 * lanes)
      : Math.round(Math.min(420, Math.max(230, 0.62 * s.width)));
    const sides = lying ? across.categories
      : scale(up, ys, [0, 1], height / 60, true).ticks.map(tick => tick.text);
    const x = Math.min(0.42 * s.width, 14 + letter * longest(sides)), y = lying && !across.label ? 6 : margin.top;
    const area = {x, y, width: s.width - margin.right - x, height: height - y - margin.bottom};
    const [right, bottom] = [x + area.width, y + area.height];
    const sx = scale(across, xs, lying ? [y, bottom] : [x, right], area.width / 75);
    const sy = scale(up, ys, lying ? [x, right] : [bottom, y], lying ? area.width / 75 : height / 60, true);
    const place = (a, b, shift = 0) => lying ? [sy.at(b), sx.at(a) + shift] : [sx.at(a) + shift, sy.at(b)];
    begin(s, height, lying ? sy : sx, lying ? sx : sy, area);
    const inside = s.svg.appendChild(draw('g', {'clip-path': `url(#${s.id}clip)`}));
    const add = (name, attributes) => inside.append(draw(name, attributes));
    // corners of a run: stairs for steps, and the ceiling covers the whole place of a category.
    const corners = (one, run, list) => run.flatMap((i, k) => {
      const a = one.x[i], b = list[i], next = one.x[run[k + 1]];
      if (across.categories && one.kind === 'ceiling') return [place(a - 0.5, b), place(a + 0.5, b)];
      return one.kind === 'step' && finite(next) ? [place(a, b), place(next, b)] : [place(a, b)];
    });
    const thick = Math.min(22, 0.8 * Math.abs(sx.at(1) - sx.at(0)) / lanes);
    const spot = (one, i, b) => {
      const list = one.kind === 'bars' ? beside(one.x[i]) : [one];
      return place(one.x[i], b, (list.indexOf(one) - (list.length - 1) / 2) * thick);
    };
    const layers = {
      ceiling: one => runs(one.x, one.y).forEach(run => {
        const edge = corners(one, run, one.y);
        const far = [edge.at(-1), edge[0]].map(([a, b]) => lying ? [right, b] : [a, y]);
        add('path', {d: path([...edge, ...far], 'Z'), fill: `url(#${s.id}hatch)`});
        add('path', {d: path(edge), class: 'edge'});
      }),
      band: one => runs(one.x, one.low, one.high).forEach(run => add('path', {class: 'band', style: tint(one),
        d: path([...corners(one, run, one.low), ...corners(one, run, one.high).reverse()], 'Z')})),
      line: one => runs(one.x, one.y).forEach(run =>
        add('path', {...strokes(one), d: path(corners(one, run, one.y))})),
      bars: one => runs(one.x, one.y).flat().forEach(i => {
        const [[a, b], [c, d]] = [spot(one, i, 0), spot(one, i, one.y[i])];
        const [wide, tall] = lying ? [Math.abs(c - a), thick - 2] : [thick - 2, Math.abs(d - b)];
        add('rect', {class: 'bar', style: tint(one), rx: 2, width: wide, height: tall,
          x: lying ? Math.min(a, c) : a - wide / 2, y: lying ? b - tall / 2 : Math.min(b, d)});
      }),
      whisker: one => runs(one.x, one.low, one.high).flat().forEach(i => add('path', {class: 'whisker',
        d: path([spot(one, i, one.low[i]), spot(one, i, one.high[i])])})),
      points: one => runs(one.x, one.y).flat().forEach(i => one.kind !== 'points'
        && i % Math.ceil(one.x.length / 12) || inside.append(marker(one, ...place(one.x[i], one.y[i])))),
    };
    const curves = shown.filter(one => one.kind === 'line' || one.kind === 'step');
    shown.filter(one => one.kind === 'ceiling').forEach(layers.ceiling);
    curves.filter(one => one.low && one.high && !one.behind).forEach(layers.band);
    curves.forEach(layers.line);
    bars.forEach(layers.bars);
    shown.filter(one => one.low && one.high && !curves.includes(one)).forEach(layers.whisker);
    shown.filter(one => one.kind === 'points' || curves.includes(one) && !one.dashed && !one.behind)
      .forEach(layers.points);
    for (const mark of marks) {
      const [a, b] = finite(mark.y) ? place(mark.x, mark.y) : [sx.at(mark.x), 46], text = mark.text ?? '';
      s.svg.append(finite(mark.y) ? draw('circle', {class: 'mark', cx: a, cy: b, r: 7})
        : draw('path', {class: 'rule', d: `M${a} ${y}V${bottom}`}));
      // Below a ceiling there is room under the point.
      const down = ceiling && finite(mark.y) ? Math.min(bottom - 6, b + 22) : Math.max(37, b - 10);
      s.svg.append(write(text, Math.min(a + 10, right - letter * text.length), down, 'start', 'note'));
    }
    s.stops = xs.map(value => ({value, x: lying ? x : sx.at(value), y: sx.at(value)}));
    s.near = (stop, a, b) => Math.abs(lying ? stop.y - b : stop.x - a);
    s.tell = (stop, pointer) => {
      const far = ({one, i}) => Math.abs(sy.at(one.y[i]) - pointer), most = 9; // lines
      const all = shown.map(one => ({one, i: one.x.indexOf(stop.value)})).filter(({one, i}) => finite(one.y[i]));
      const found = all.sort((a, b) => lying ? 0 : far(a) - far(b)).slice(0, most)
        .sort((a, b) => b.one.y[b.i] - a.one.y[a.i]);
      const range = (one, i) => {
        if (!finite(one.low?.[i]) || !finite(one.high?.[i])) return '';
        const [low, high] = [words(up, one.low[i]), words(up, one.high[i])], unit = /\s\S+$|$/.exec(high)[0];
        return ` (${unit && low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high})`;
      };
      const line = lying ? `M${x} ${stop.y}H${right}` : `M${stop.x} ${y}V${bottom}`;
      return {
        head: (across.label ?? '') + ' ' + words(across, stop.value),
        lines: found.map(({one, i}) => ({
          look: one.kind === 'ceiling' || one.dashed || one.behind ? undefined : one.look,
          text: `${one.name || up.label}: ${words(up, one.y[i])}${range(one, i)}`}))
          .concat(all.length > most ? {text: `${all.length - most} more`} : []),
        marks: [draw('path', {class: 'rule', d: line}), ...(lying ? [] : found).map(({one, i}) =>
          draw('circle', {class: 'mark', r: 4, cx: stop.x, cy: sy.at(one.y[i])}))],
      };
    };
    s.rows = () => [tidy(across.categories ? ['name', 'options'] : [plain(across.label), 'name']),
      ...all.flatMap(one => one.x.map((a, i) => [across.categories?.[a] ?? a, one.name,
        ...estimate(up, one.y[i], one.low?.[i], one.high?.[i])]))];
  };

  // Each row has an arrow from one number to another, and a dot where both are the same.
  const paintArrows = s => {
    const {x: across, rows} = s.data, [y, row] = [margin.top, 22], names = rows.map(({name}) => name);
    const x = Math.min(0.42 * s.width, 14 + letter * longest(names)), width = s.width - x - margin.right;
    const tall = row * rows.length, ends = rows.flatMap(({from, to}) => [from, to]);
    const sx = scale(across, ends, [x, x + width], width / 75), middle = i => y + row * (i + 0.5);
    begin(s, y + tall + margin.bottom, sx, {ticks: names.map((text, i) => ({x: i, text})), at: middle, label: ''},
      {x, y, width, height: tall});
    s.keys = [];
    s.stops = rows.map((one, i) => ({one, x: sx.at(one.to), y: middle(i)}));
    for (const {one, x: to, y: b} of s.stops) {
      const from = sx.at(one.from), way = Math.sign(to - from), kind = one.harmed ? 'arrow harm' : 'arrow';
      s.svg.append(draw('circle', {class: kind, cx: from, cy: b, r: 2.5}), Math.abs(to - from) < 3 ? ''
        : draw('path', {class: kind, d: `M${from} ${b}H${to}m${-6 * way}-4l${6 * way} 4l${-6 * way} 4`}));
      const [note, low, high] = [one.note ?? '', Math.min(from, to) - 9, Math.max(from, to) + 9];
      const right = high + letter * note.length < s.width, left = low - letter * note.length > x; // else above it
      s.svg.append(right ? write(note, high, b + 4, 'start', 'note') : left ? write(note, low, b + 4, 'end', 'note')
        : write(note, Math.max(x + letter * note.length / 2, (low + high) / 2), b - 4, 'middle', 'note'));
    }
    s.near = (stop, a, b) => Math.abs(stop.y - b);
    s.tell = ({one, x: a, y: b}) => ({head: one.name + (one.harmed ? ': harmed' : ''),
      lines: [{text: `${words(across, one.from)} to ${words(across, one.to)}${one.note ? ', ' + one.note : ''}`}],
      marks: [draw('circle', {class: 'mark', cx: a, cy: b, r: 6})]});
    s.rows = () => [tidy(['name', 'when']), ...rows.flatMap(one => [['today', one.from], ['then', one.to]]
      .map(([when, value]) => [one.name, when, ...estimate(across, value)]))];
  };

  const drawer = paint => (figure, data) => {
    stage(figure, paint, data);
    return {update: next => stage(figure, paint, next)};
  };

  // value reads a cell of a table: a number with commas, a share, a time in any unit, or text; null if empty.
  const value = cell => {
    const text = cell.textContent.trim(), found = /^[<+]?\s*(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)/i.exec(text);
    if (!found) return /^-?$/.test(text) ? null : text.toLowerCase();
    return Number(found[1].replaceAll(',', '')) * (units[/\d (ms|s|min|h|d|years)$/.exec(text)?.[1]] ?? 1);
  };
  const sortable = table => {
    const heads = [...table.querySelectorAll('thead th')], body = table.tBodies[0];
    if (!body || body.rows.length < 2 || heads.some(head => head.querySelector('button'))) return;
    heads.forEach((head, k) => {
      const button = head.appendChild(html('button', {type: 'button'}, ...head.childNodes));
      button.addEventListener('click', () => {
        const rows = [];
        for (const row of body.rows) {
          const range = /^(from|to)$/.test(row.cells[0].textContent.trim()); // stays below its row
          if (range && rows.length) rows.at(-1).all.push(row);
          else rows.push({all: [row], key: value(row.cells[k])});
        }
        const down = head.ariaSort ? head.ariaSort === 'ascending' : rows.some(({key}) => typeof key === 'number');
        rows.sort(({key: a}, {key: b}) => a === null || b === null ? (a === null) - (b === null)
          : (down ? -1 : 1) * (typeof a === typeof b ? (a > b) - (a < b) : typeof a === 'number' ? -1 : 1));
        heads.forEach(other => other.removeAttribute('aria-sort'));
        head.ariaSort = down ? 'descending' : 'ascending';
        body.append(...rows.flatMap(({all}) => all));
      });
    });
  };

  // alone copies an element with the styles that it has in the page.
  const styles = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin',
    'paint-order', 'font-family', 'font-size', 'font-weight'];
  const alone = element => {
    const copy = element.cloneNode(true), from = [element, ...element.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((one, i) => {
      const style = getComputedStyle(from[i]);
      one.setAttribute('style', styles.map(name => `${name}:${style.getPropertyValue(name)}`).join(';'));
    });
    return copy;
  };
  // sheet returns the drawing in light colors with its title, its legend and what it is of.
  const sheet = (s, about) => {
    show(s, -1);
    s.box.style.colorScheme = 'light';
    const text = (words, x, y, weight) =>
      draw('text', {x, y, style: `font:${weight} 12px sans-serif;fill:#222`}, words);
    const drawing = fill(alone(s.svg), {y: 24, width: s.width, height: s.height});
    const parts = [drawing, text(s.data.title ?? '', 8, 16, 'bold')];
    let [x, y] = [8, s.height + 38];
    s.keys.forEach((key, i) => {
      if (s.hidden.has(key.name)) return;
      const width = 50 + letter * key.name.length, mark = alone(s.legend.children[i].querySelector('svg'));
      if (x > 8 && x + width > s.width) [x, y] = [8, y + 20];
      parts.push(fill(mark, {x, y: y - 10}), text(key.name, x + 34, y, 'normal'));
      x += width;
    });
    s.box.style.colorScheme = '';
    const most = Math.floor(s.width / 5.6), lines = about.flatMap(([key, value]) =>
      `${key}: ${value}`.match(new RegExp(`.{1,${most}}(?= |$)|.{1,${most}}`, 'g')));
    parts.push(...lines.map((line, i) =>
      draw('text', {x: 8, y: y + 20 + 14 * i, style: 'font:10px sans-serif;fill:#57606a'}, line.trim())));
    const size = {width: s.width, height: y + 18 + 14 * lines.length};
    return fill(draw('svg', {xmlns: space, ...size}, draw('desc', {}, lines.join('\n')),
      draw('rect', {...size, fill: '#fff'}), ...parts),
      {viewBox: `0 0 ${size.width} ${size.height}`});
  };
  // field is a cell of a CSV file. A name that a spreadsheet would compute begins with an apostrophe.
  const field = cell => {
    let text = String(cell ?? '');
    if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = "'" + text;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  async function save(figure, kind, name, about = []) {
    const s = stages.get(figure);
    if (!s) return null; // nothing is drawn yet
    const pairs = about.map(pair => pair.map(words => String(words).replace(/\s+/g, ' ').trim()));
    const axes = Object.entries({x: s.data.x, y: s.data.y}).filter(([, axis]) => axis?.label)
      .map(([key, axis]) => [key, axis.label + (unitOf(axis) ? ` (${unitOf(axis)})` : '')]);
    const head = [['figure', s.data.title || name], ...pairs, ...axes].map(pair => `# ${pair.join(': ')}\n`);
    const rows = () => head.join('') + s.rows().map(row => row.map(field).join(',') + '\n').join('');
    const text = kind === 'csv' ? rows() : new XMLSerializer().serializeToString(sheet(s, pairs));
    let blob = new Blob([text], {type: kind === 'csv' ? 'text/csv' : 'image/svg+xml'});
    if (kind === 'png') {
      const image = new Image();
      image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
      await image.decode();
      const canvas = html('canvas', {width: 2 * image.width, height: 2 * image.height});
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      blob = await new Promise(done => canvas.toBlob(done, 'image/png'));
    }
    const file = `${name.replace(/[^\w.-]+/g, '-')}.${kind}`;
    const link = html('a', {href: URL.createObjectURL(blob), download: file});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    return blob;
  }

  // made is how a page was made, as its list says: scenario, overrides, command and others.
  const made = () => [...document.querySelectorAll('dl > dt')].map(term =>
    [term.textContent.toLowerCase(), term.nextElementSibling.textContent]);

  // Tables and figures that the page has from the start: a figure has its numbers as JSON in it.
  document.querySelectorAll('table').forEach(sortable);
  for (const block of document.querySelectorAll('figure > script[type="application/json"]')) {
    const figure = block.parentElement, data = JSON.parse(block.textContent);
    stage(figure, paintChart, data);
    block.replaceWith(html('p', {class: 'tools'}, 'Save as', ...['svg', 'png', 'csv'].map(kind => {
      const button = html('button', {type: 'button'}, kind.toUpperCase());
      button.addEventListener('click', () => save(figure, kind, data.title || document.title, made()));
      return button;
    })));
  }
  return {chart: drawer(paintChart), arrows: drawer(paintArrows), sortable, save};
})();
