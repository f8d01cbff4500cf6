'use strict';
// The picture that the page begins with: it is in the file, and hero(figure, data) moves what is in it.
//   at(load) reads the curves and the bound there, between the loads that were computed with the page;
//   show(load, {curves, bound}) moves the marker and the spots, and writes their numbers.
const hero = (figure, data) => {
  const plot = figure.querySelector('.plot'), spots = [...plot.querySelectorAll('.spot:not(.log)')];
  const [most, ...numbers] = figure.querySelectorAll('.curves li:not(.log) b');
  const formats = [0, 1, 2, 3].map(n => new Intl.NumberFormat('en-US', { maximumFractionDigits: n }));
  const known = x => x !== null && x !== undefined;

  // between reads a list at a load on the straight line between its neighbors.
  const between = (list, load) => {
    const last = data.loads.length - 1;
    const i = Math.max(1, data.loads.findIndex((x, k) => x >= load || k === last));
    const [a, b] = [list[i - 1], list[i]];
    if (!known(a) || !known(b)) return null;
    const share = (load - data.loads[i - 1]) / (data.loads[i] - data.loads[i - 1]);
    return a + Math.min(1, Math.max(0, share)) * (b - a);
  };

  // words writes an amount with four digits.
  const words = x => {
    if (!known(x)) return '-';
    const scaled = x * data.scale, digits = 3 - Math.floor(Math.log10(Math.max(1, Math.abs(scaled))));
    return formats[Math.max(0, Math.min(3, digits))].format(scaled);
  };

  return {
    at: load => ({ curves: data.curves.map(({ values }) => between(values, load)), bound: between(data.bound, load) }),
    words: x => known(x) ? `${words(x)} ${data.unit}` : '-',
    show(load, { curves, bound }) {
      plot.style.setProperty('--x', 100 * (load - data.min) / (data.max - data.min));
      most.textContent = words(bound);
      curves.forEach((y, i) => {
        spots[i].hidden = !known(y) || y < 0;
        spots[i].style.bottom = 100 * y / data.top + '%';
        numbers[i].textContent = words(y);
      });
    },
  };
};
