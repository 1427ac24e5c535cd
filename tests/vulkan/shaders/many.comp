// Adds up one number of each of COUNT buffers into the first.
#version 450
layout(local_size_x = 1) in;
#define BUFFER(n) layout(set = 0, binding = n) buffer Buffer##n { uint value##n; };
#if COUNT > 0
BUFFER(0)
#endif
#if COUNT > 1
BUFFER(1)
#endif
#if COUNT > 2
BUFFER(2)
#endif
#if COUNT > 3
BUFFER(3)
#endif
#if COUNT > 4
BUFFER(4)
#endif
#if COUNT > 5
BUFFER(5)
#endif
#if COUNT > 6
BUFFER(6)
#endif
#if COUNT > 7
BUFFER(7)
#endif
#if COUNT > 8
BUFFER(8)
#endif
#if COUNT > 9
BUFFER(9)
#endif
#if COUNT > 10
BUFFER(10)
#endif
#if COUNT > 11
BUFFER(11)
#endif
#if COUNT > 12
BUFFER(12)
#endif
#if COUNT > 13
BUFFER(13)
#endif
#if COUNT > 14
BUFFER(14)
#endif
#if COUNT > 15
BUFFER(15)
#endif
#if COUNT > 16
BUFFER(16)
#endif
#if COUNT > 17
BUFFER(17)
#endif
#if COUNT > 18
BUFFER(18)
#endif
#if COUNT > 19
BUFFER(19)
#endif
#if COUNT > 20
BUFFER(20)
#endif
#if COUNT > 21
BUFFER(21)
#endif
#if COUNT > 22
BUFFER(22)
#endif
#if COUNT > 23
BUFFER(23)
#endif
#if COUNT > 24
BUFFER(24)
#endif
#if COUNT > 25
BUFFER(25)
#endif
#if COUNT > 26
BUFFER(26)
#endif
#if COUNT > 27
BUFFER(27)
#endif
#if COUNT > 28
BUFFER(28)
#endif
#if COUNT > 29
BUFFER(29)
#endif
#if COUNT > 30
BUFFER(30)
#endif
#if COUNT > 31
BUFFER(31)
#endif
#if COUNT > 32
BUFFER(32)
#endif
#if COUNT > 33
BUFFER(33)
#endif
#if COUNT > 34
BUFFER(34)
#endif
#if COUNT > 35
BUFFER(35)
#endif
#if COUNT > 36
BUFFER(36)
#endif
#if COUNT > 37
BUFFER(37)
#endif
#if COUNT > 38
BUFFER(38)
#endif
#if COUNT > 39
BUFFER(39)
#endif
void main() {
    uint sum = 0;
#if COUNT > 0
    sum += value0;
#endif
#if COUNT > 1
    sum += value1;
#endif
#if COUNT > 2
    sum += value2;
#endif
#if COUNT > 3
    sum += value3;
#endif
#if COUNT > 4
    sum += value4;
#endif
#if COUNT > 5
    sum += value5;
#endif
#if COUNT > 6
    sum += value6;
#endif
#if COUNT > 7
    sum += value7;
#endif
#if COUNT > 8
    sum += value8;
#endif
#if COUNT > 9
    sum += value9;
#endif
#if COUNT > 10
    sum += value10;
#endif
#if COUNT > 11
    sum += value11;
#endif
#if COUNT > 12
    sum += value12;
#endif
#if COUNT > 13
    sum += value13;
#endif
#if COUNT > 14
    sum += value14;
#endif
#if COUNT > 15
    sum += value15;
#endif
#if COUNT > 16
    sum += value16;
#endif
#if COUNT > 17
    sum += value17;
#endif
#if COUNT > 18
    sum += value18;
#endif
#if COUNT > 19
    sum += value19;
#endif
#if COUNT > 20
    sum += value20;
#endif
#if COUNT > 21
    sum += value21;
#endif
#if COUNT > 22
    sum += value22;
#endif
#if COUNT > 23
    sum += value23;
#endif
#if COUNT > 24
    sum += value24;
#endif
#if COUNT > 25
    sum += value25;
#endif
#if COUNT > 26
    sum += value26;
#endif
#if COUNT > 27
    sum += value27;
#endif
#if COUNT > 28
    sum += value28;
#endif
#if COUNT > 29
    sum += value29;
#endif
#if COUNT > 30
    sum += value30;
#endif
#if COUNT > 31
    sum += value31;
#endif
#if COUNT > 32
    sum += value32;
#endif
#if COUNT > 33
    sum += value33;
#endif
#if COUNT > 34
    sum += value34;
#endif
#if COUNT > 35
    sum += value35;
#endif
#if COUNT > 36
    sum += value36;
#endif
#if COUNT > 37
    sum += value37;
#endif
#if COUNT > 38
    sum += value38;
#endif
#if COUNT > 39
    sum += value39;
#endif
#if COUNT > 0
    value0 = sum;
#endif
}
